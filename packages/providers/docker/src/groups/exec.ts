import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import {
  type ExecExit,
  type ExecOutput,
  type ExecRequest,
  type ExecSession,
  type ExecSignal,
  isProviderError,
  ProviderError,
  type TerminalSize,
} from '@stead/provider-kit'
import type { Engine } from '../engine/engine.ts'
import { type Frame, framesOf } from '../engine/frames.ts'
import { endSession, order, sessionWords, type Target } from './inside-session.ts'

/** Runs a command in a container. */
export async function exec(
  engine: Engine,
  target: Target,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<ExecSession> {
  const { tty, env = {}, user, directory } = request
  const all = { ...(tty && { TERM: 'xterm-256color' }), ...env }
  const { Id } = await engine.createExec(target.container, {
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: tty !== undefined,
    Cmd: sessionWords(target, request.command),
    ...(Object.keys(all).length > 0 && { Env: Object.entries(all).map(([name, value]) => `${name}=${value}`) }),
    ...(user !== undefined && { User: user }),
    ...(directory !== undefined && { WorkingDir: directory }),
  })
  const socket = await engine.startExec(Id, tty !== undefined, signal)
  return new Session(engine, target, Id, socket, tty, signal)
}

/** So much is read ahead of who reads: enough to see the end of most commands, little enough to hold up a flood. */
const readAhead = 262_144

class Session implements ExecSession {
  readonly exit: Promise<ExecExit>
  readonly #engine: Engine
  readonly #target: Target
  readonly #id: string
  readonly #socket: Duplex
  /** Its process, as it counts inside: what it prints first. */
  readonly #pid = Promise.withResolvers<string>()
  readonly #ready: Promise<void>
  readonly #queue: ExecOutput[] = []
  #bytes = 0
  #hasEnded = false
  #failure: unknown
  #isClosed = false
  #wakeReader = () => {}
  #wakePump = () => {}

  constructor(
    engine: Engine,
    target: Target,
    id: string,
    socket: Duplex,
    tty: ExecRequest['tty'],
    signal: AbortSignal,
  ) {
    this.#engine = engine
    this.#target = target
    this.#id = id
    this.#socket = socket
    this.#pid.promise.catch(() => {})
    // Only what runs can be resized, and what has said who it is runs.
    this.#ready = tty ? this.#pid.promise.then(() => engine.resizeExec(id, tty)) : Promise.resolve()
    this.#ready.catch(() => {})
    socket.on('error', () => {}) // told by the pump
    this.exit = this.#pump(tty !== undefined).then(() => this.#ended())
    this.exit.catch(() => {})
    const abort = () => void this.close()
    signal.addEventListener('abort', abort, { once: true })
    void this.exit.finally(() => signal.removeEventListener('abort', abort)).catch(() => {})
  }

  get output(): AsyncIterable<ExecOutput> {
    return { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) }
  }

  async write(data: Uint8Array): Promise<void> {
    await this.#ready
    await new Promise<void>((resolve, reject) => {
      this.#socket.write(data, error => (error ? reject(new ProviderError('Unavailable', error.message)) : resolve()))
    })
  }

  async endInput(): Promise<void> {
    await this.#ready
    await new Promise<void>(resolve => this.#socket.end(() => resolve()))
  }

  async resize(size: TerminalSize): Promise<void> {
    await this.#ready
    await this.#engine.resizeExec(this.#id, size)
  }

  async signal(signal: ExecSignal): Promise<void> {
    const number = constants.signals[`SIG${signal}`]
    await order(this.#engine, this.#target.container, ['signal', String(number), await this.#pid.promise])
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#wakePump()
    if (this.#hasEnded) return
    try {
      await endSession(this.#engine, this.#target.container, await this.#pid.promise)
    } catch (error) {
      // With its container, or its connection, it has ended itself.
      if (!isProviderError(error)) throw error
    } finally {
      this.#socket.destroy()
    }
  }

  async #next(): Promise<IteratorResult<ExecOutput>> {
    for (;;) {
      const value = this.#queue.shift()
      if (value) {
        this.#bytes -= value.data.length
        this.#wakePump()
        return { done: false, value }
      }
      if (this.#failure) throw this.#failure
      if (this.#hasEnded) return { done: true, value: undefined }
      await new Promise<void>(resolve => {
        this.#wakeReader = resolve
      })
    }
  }

  async #pump(isTerminal: boolean): Promise<void> {
    let head = ''
    try {
      for await (const { stream, data } of isTerminal ? plain(this.#socket) : framesOf(this.#socket)) {
        let rest = data
        if (!head.endsWith('\n') && stream === 'stdout') {
          const end = data.indexOf(10) + 1
          head += data.toString('latin1', 0, end || data.length)
          rest = data.subarray(end || data.length)
          if (end > 0) this.#pid.resolve(head.trim())
        }
        if (rest.length > 0) await this.#push({ stream, data: rest })
      }
    } catch (error) {
      if (!this.#isClosed) this.#failure = new ProviderError('Unavailable', (error as Error).message, { cause: error })
    } finally {
      this.#hasEnded = true
      this.#pid.reject(new ProviderError('Unavailable', 'the command has ended, or was never begun'))
      this.#wakeReader()
    }
  }

  async #push(piece: ExecOutput): Promise<void> {
    this.#queue.push(piece)
    this.#bytes += piece.data.length
    this.#wakeReader()
    while (this.#bytes > readAhead && !this.#isClosed)
      await new Promise<void>(resolve => {
        this.#wakePump = resolve
      })
  }

  async #ended(): Promise<ExecExit> {
    if (this.#failure) throw this.#failure
    return { code: await this.#engine.exitCode(this.#id) }
  }
}

/** With a terminal there is one stream, and nothing around it. */
async function* plain(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  for await (const data of chunks) yield { stream: 'stdout', data }
}
