import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { World } from '@stead/world'
import type { Scratch } from '../../harness/scratch.ts'
import { HttpConnection } from '../client/connection.ts'
import { encodeRequest, type Request } from '../client/messages.ts'

const main = fileURLToPath(new URL('../../../apps/stead/src/main.js', import.meta.url))

export interface ProgramOptions {
  /** The data directory, made if it is not there. */
  readonly data: string
  readonly env?: NodeJS.ProcessEnv
  /** More to say to `stead serve`. */
  readonly flags?: readonly string[]
  /** What Node is told before the program. */
  readonly nodeFlags?: readonly string[]
}

/** `stead serve` as a user starts it, with its defaults but for a free port and a quiet log. */
export class SteadProgram {
  readonly port: number
  readonly adminToken: string
  /** Milliseconds from before the process existed until it said that it listens, and answered that it is ready. */
  readonly readyAfter: number
  readonly #child: ChildProcess
  #connection: HttpConnection

  private constructor(
    child: ChildProcess,
    port: number,
    from: Pick<SteadProgram, 'adminToken' | 'readyAfter'>,
    connection: HttpConnection,
  ) {
    this.#child = child
    this.port = port
    this.adminToken = from.adminToken
    this.readyAfter = from.readyAfter
    this.#connection = connection
  }

  static async start(world: World, scratch: Scratch, options: ProgramOptions): Promise<SteadProgram> {
    const { data, env, flags = [], nodeFlags = [] } = options
    const began = world.monotonic()
    const args = ['serve', '--listen', '127.0.0.1:0', '--data', data, '--log-level', 'warn', ...flags]
    const child = scratch.adopt(
      spawn(process.execPath, [...nodeFlags, main, ...args], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    const port = await portSaid(child)
    const connection = await HttpConnection.open(port)
    const { status } = await connection.ask(encodeRequest({ method: 'GET', path: '/readyz' }))
    const readyAfter = world.monotonic() - began
    if (status !== 200)
      throw new Error(`stead serve says that it listens, and answers ${status} when asked if it is ready`)
    const adminToken = readFileSync(join(data, 'admin.token'), 'utf8').trim()
    return new SteadProgram(child, port, { adminToken, readyAfter }, connection)
  }

  /** Asks as the admin. What is refused is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes
  async ask(method: Request['method'], path: string, body?: unknown): Promise<any> {
    return JSON.parse(await this.#text({ method, path, token: this.adminToken, body }))
  }

  /** One number of what it says of itself. */
  async metric(name: string): Promise<number> {
    return (await this.metrics(name))[0]!
  }

  /** Several of them, of one moment. */
  async metrics(...names: readonly string[]): Promise<readonly number[]> {
    const text = await this.#text({ method: 'GET', path: '/metrics' })
    return names.map(name => {
      const value = new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]
      if (value === undefined) throw new Error(`stead serve has no metric ${name}`)
      return Number(value)
    })
  }

  residentBytes(): Promise<number> {
    return this.metric('process_resident_memory_bytes')
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  /** As a machine that fails would: it gets no chance to finish anything. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
    this.#connection.close()
  }

  async #text(request: Request): Promise<string> {
    // A connection on which nobody asks for a while is closed by the server.
    if (this.#connection.isClosed) this.#connection = await HttpConnection.open(this.port)
    const { status, body } = await this.#connection.ask(encodeRequest(request))
    if (status >= 300) throw new Error(`${request.method} ${request.path} was answered ${status}: ${body}`)
    return body.toString()
  }
}

async function portSaid(child: ChildProcess): Promise<number> {
  for await (const line of createInterface(child.stdout!)) {
    const port = /listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
    if (port === undefined) continue
    child.stdout!.resume()
    return Number(port)
  }
  throw new Error('stead serve ended before it listened')
}
