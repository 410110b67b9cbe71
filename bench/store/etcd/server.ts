import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { freePort } from '@stead/testing'
import { commandPath } from '@stead/testing/backends'
import { millis, type World } from '@stead/world'
import type { Scratch } from '../../harness/scratch.ts'
import { GrpcConnection } from './connection.ts'

const program = () => commandPath('etcd', 'etcd')

export async function etcdVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(program(), ['--version'])
  return /etcd Version: (\S+)/.exec(stdout)?.[1] ?? 'unknown'
}

export interface EtcdServer {
  readonly port: number
  stop(): Promise<void>
}

/** Starts one etcd with its defaults, but for room: the default of 2 GB of history ends a longer run. */
export async function startEtcd(world: World, scratch: Scratch): Promise<EtcdServer> {
  const [port, peerPort] = [await freePort(), await freePort()]
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const child = scratch.adopt(
    spawn(
      program(),
      [
        ...['--data-dir', scratch.newDirectory('etcd')],
        ...['--listen-client-urls', url, '--advertise-client-urls', url],
        ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
        ...['--initial-cluster', `default=${peerUrl}`],
        ...['--quota-backend-bytes', String(8 * 2 ** 30)],
        ...['--logger', 'zap', '--log-level', 'error'],
      ],
      { stdio: 'ignore' },
    ),
  )
  const exited = once(child, 'exit')
  await isListening(world, port, () => child.exitCode !== null)
  return {
    port,
    async stop() {
      child.kill()
      await exited
    },
  }
}

async function isListening(world: World, port: number, hasDied: () => boolean): Promise<void> {
  for (const deadline = world.monotonic() + 15_000; world.monotonic() < deadline; await world.sleep(millis(50))) {
    if (hasDied()) throw new Error('etcd ended before it was ready')
    const connection = await GrpcConnection.open(port).catch(() => undefined)
    connection?.close()
    if (connection) return
  }
  throw new Error('etcd was not ready within 15 s')
}
