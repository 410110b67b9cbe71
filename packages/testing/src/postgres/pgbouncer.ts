import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandPath } from '../backends.ts'
import { freePort } from '../free-port.ts'
import { PostgresCluster } from './cluster.ts'
import { unprivilegedUser } from './installs.ts'

export interface PgBouncer {
  /** The same address, through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

/** A pooler that lends out the sessions of this server by transaction. Needs the backend `pgbouncer`. */
export async function startPgBouncer(
  server: { readonly port: number },
  more: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  const directory = mkdtempSync(join(tmpdir(), 'stead-pgbouncer-'))
  chmodSync(directory, 0o755)
  const port = await freePort()
  const settings = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', pool_mode: 'transaction' },
    ...{ auth_type: 'scram-sha-256', auth_file: join(directory, 'users'), default_pool_size: 8 },
    ...more,
  }
  writeFileSync(join(directory, 'users'), `"stead" "${PostgresCluster.password}"\n`)
  writeFileSync(
    join(directory, 'ini'),
    [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
  )
  const pooler = spawn(commandPath('pgbouncer', 'pgbouncer'), [join(directory, 'ini')], {
    ...unprivilegedUser(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  await new Promise<void>((ready, failed) => {
    pooler.once('exit', () => failed(new Error(`PgBouncer did not start:\n${output}`)))
    pooler.stderr.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes('process up')) ready()
    })
  })
  return {
    through: url => url.replace(/:\d+\//, `:${port}/`),
    async stop() {
      pooler.kill('SIGTERM')
      await once(pooler, 'exit')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
