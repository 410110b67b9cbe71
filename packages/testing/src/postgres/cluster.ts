import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { commandPath } from '../backends.ts'
import { freePort } from '../free-port.ts'
import { embeddedPrograms, unprivilegedUser } from './installs.ts'

/** Debian's, which must be installed (15 in Debian 12), and the newest, which npm brings. */
export type PostgresEdition = 'postgresql' | 'embedded postgresql'

export interface ClusterOptions {
  readonly edition: PostgresEdition
  /** On where the test is about what survives; off elsewhere, for speed. */
  readonly fsync: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** Where its files go, in a directory of their own. Default: where temporary files go. */
  readonly parent?: string
  /** Files to serve TLS with, besides plain connections. */
  readonly tls?: { readonly key: string; readonly certificate: string }
}

/** Has no other use than to be absent from every message and log. */
const password = 'word-of-a-throw-away-cluster'

/**
 * A PostgreSQL server of its own, in a temporary directory, on a free port of the loopback interface.
 * Its collation is not "C", because users' mostly is not either.
 */
export class PostgresCluster {
  static readonly password: string = password
  readonly port: number
  private readonly directory: string
  private readonly programs: string
  private readonly options: ClusterOptions
  private readonly watchdog: ChildProcess
  private server: ChildProcess | undefined
  private output = ''

  private constructor(directory: string, port: number, options: ClusterOptions) {
    this.directory = directory
    this.port = port
    this.options = options
    this.programs =
      options.edition === 'postgresql' ? dirname(commandPath('postgresql', 'postgres')) : embeddedPrograms()
    // However this process ends, the server ends with it.
    this.watchdog = spawn(process.execPath, [fileURLToPath(new URL('watchdog.mjs', import.meta.url)), directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.watchdog.unref()
  }

  static async start(options: ClusterOptions): Promise<PostgresCluster> {
    const cluster = await PostgresCluster.prepare(options)
    await cluster.initialise()
    if (options.tls) await cluster.install(options.tls)
    await cluster.start()
    return cluster
  }

  private static async prepare(options: ClusterOptions): Promise<PostgresCluster> {
    const directory = await mkdtemp(resolve(options.parent ?? tmpdir(), 'stead-postgres-'))
    const user = unprivilegedUser()
    if (user) await chown(directory, user.uid, user.gid)
    return new PostgresCluster(directory, await freePort(), options)
  }

  /** A standby with all that is in this cluster now, which is restarted for it. It gets nothing new, until it is promoted. */
  async standby(): Promise<PostgresCluster> {
    const copy = await PostgresCluster.prepare(this.options)
    await this.shutdown('fast')
    await promisify(execFile)('cp', ['-a', this.data, copy.data])
    await writeFile(join(copy.data, 'standby.signal'), '')
    await Promise.all([this.start(), copy.start()])
    return copy
  }

  private get data(): string {
    return join(this.directory, 'data')
  }

  /** Of a superuser, with the password. */
  url(database = 'postgres'): string {
    return `postgres://stead:${password}@127.0.0.1:${this.port}/${database}`
  }

  /** What the server wrote to its log, to explain a failure. */
  get log(): string {
    return this.output
  }

  private async initialise(): Promise<void> {
    const secret = join(this.directory, 'password')
    await writeFile(secret, password, { mode: 0o644 })
    const collation = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C', '--encoding=UTF8']
    const login = ['--username=stead', '--auth=scram-sha-256', `--pwfile=${secret}`]
    await promisify(execFile)(join(this.programs, 'initdb'), ['-D', this.data, '--no-sync', ...login, ...collation], {
      ...unprivilegedUser(),
      cwd: this.directory,
      env: { TZ: 'UTC' },
    })
  }

  /** PostgreSQL uses only a key that belongs to its own user. */
  private async install({ key, certificate }: NonNullable<ClusterOptions['tls']>): Promise<void> {
    const user = unprivilegedUser()
    for (const [from, to] of [
      [key, 'server.key'],
      [certificate, 'server.crt'],
    ] as const) {
      const path = join(this.data, to)
      await writeFile(path, await readFile(from), { mode: 0o600 })
      if (user) await chown(path, user.uid, user.gid)
    }
  }

  async start(): Promise<void> {
    const settings = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.directory,
      fsync: this.options.fsync ? 'on' : 'off',
      full_page_writes: this.options.fsync ? 'on' : 'off',
      max_connections: '200',
      ...(this.options.tls && { ssl: 'on' }),
      ...this.options.settings,
    }
    const server = spawn(
      join(this.programs, 'postgres'),
      ['-D', this.data, ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`])],
      { ...unprivilegedUser(), cwd: this.directory, env: { TZ: 'UTC' }, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.server = server
    await new Promise<void>((ready, failed) => {
      server.once('exit', () => failed(new Error(`PostgreSQL did not start:\n${this.output}`)))
      server.stderr.on('data', (chunk: Buffer) => {
        this.output += chunk
        if (chunk.includes('database system is ready to accept')) ready()
      })
    })
  }

  /** `fast` ends every session and shuts down cleanly; `immediate` is a crash. */
  async shutdown(how: 'fast' | 'immediate'): Promise<void> {
    const { server } = this
    this.server = undefined
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await once(server, 'exit')
  }

  async stop(): Promise<void> {
    await this.shutdown('immediate')
    await rm(this.directory, { recursive: true, force: true })
    this.watchdog.stdin?.end()
  }
}
