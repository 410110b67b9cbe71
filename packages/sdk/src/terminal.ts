import type { Problem, StreamTicket } from './generated/api.ts'
import { SteadProblem, Unreachable } from './problem.ts'
import { StreamEnded } from './stream.ts'
import type { Transport } from './transport.ts'

/** How a command ended. */
export interface TerminalExit {
  readonly code: number
  readonly signal?: string
}

export interface TerminalOutput {
  readonly stream: 'stdout' | 'stderr'
  readonly data: Uint8Array
}

export type TerminalSignal = 'HUP' | 'INT' | 'QUIT' | 'KILL' | 'TERM' | 'USR1' | 'USR2' | 'WINCH'

const channels = { input: 0, stdout: 1, stderr: 2, control: 3 } as const

/** What may wait to be sent before a writer waits too. */
const mostUnsent = 1_048_576

type Control =
  | { readonly type: 'ready' }
  | ({ readonly type: 'exit' } & TerminalExit)
  | { readonly type: 'error'; readonly problem: Problem }

/** A command that runs in an instance, or its console, through a WebSocket. */
export class Terminal {
  /** How it ended; rejects when the connection ended first. Undefined for a console that was closed. */
  readonly exited: Promise<TerminalExit | undefined>
  readonly #transport: Transport
  readonly #socket: WebSocket
  readonly #ready = Promise.withResolvers<void>()
  readonly #exited = Promise.withResolvers<TerminalExit | undefined>()
  readonly #output: TerminalOutput[] = []
  #exit: TerminalExit | undefined
  #failure: Error | undefined
  #isClosed = false
  #wake = Promise.withResolvers<void>()

  /** Opens what a ticket is for, and waits until it runs. */
  static async open(transport: Transport, { url }: StreamTicket): Promise<Terminal> {
    const terminal = new Terminal(transport, new WebSocket(`${transport.url.replace(/^http/, 'ws')}${url}`, 'stead.v1'))
    await terminal.#ready.promise
    return terminal
  }

  private constructor(transport: Transport, socket: WebSocket) {
    this.#transport = transport
    this.#socket = socket
    this.exited = this.#exited.promise
    // Whoever only reads the output learns of a failure there.
    this.exited.catch(() => undefined)
    this.#ready.promise.catch(() => undefined)
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }) => this.#receive(new Uint8Array(data as ArrayBuffer)))
    socket.addEventListener('close', ({ code }) => this.#close(code))
  }

  /** Everything it prints, in order; ends with it. */
  async *output(): AsyncGenerator<TerminalOutput, void> {
    for (;;) {
      for (let next = this.#output.shift(); next; next = this.#output.shift()) yield next
      if (this.#isClosed) break
      await this.#wake.promise
    }
    if (this.#failure) throw this.#failure
  }

  /** Types something. Resolves when there is room for more. */
  async write(data: Uint8Array | string): Promise<void> {
    this.#send(channels.input, typeof data === 'string' ? new TextEncoder().encode(data) : data)
    while (!this.#isClosed && this.#socket.bufferedAmount > mostUnsent) await this.#transport.machine.sleep(10)
  }

  /** The command sees the end of its input. */
  end(): void {
    this.#control({ type: 'end' })
  }

  resize(columns: number, rows: number): void {
    this.#control({ type: 'resize', columns, rows })
  }

  signal(signal: TerminalSignal): void {
    this.#control({ type: 'signal', signal })
  }

  /** Leaves. A command ends with its connection, a console stays as it is. */
  close(): void {
    this.#socket.close(1000)
  }

  #control(message: object): void {
    this.#send(channels.control, new TextEncoder().encode(JSON.stringify(message)))
  }

  #send(channel: number, data: Uint8Array): void {
    if (this.#isClosed || this.#socket.readyState !== 1) return
    const frame = new Uint8Array(data.length + 1)
    frame[0] = channel
    frame.set(data, 1)
    this.#socket.send(frame)
  }

  #receive(frame: Uint8Array): void {
    const [channel] = frame
    const data = frame.subarray(1)
    if (channel === channels.control) this.#told(JSON.parse(new TextDecoder().decode(data)) as Control)
    else this.#output.push({ stream: channel === channels.stderr ? 'stderr' : 'stdout', data })
    this.#wakeReader()
  }

  #told(message: Control): void {
    if (message.type === 'ready') this.#ready.resolve()
    if (message.type === 'exit') {
      const { code, signal } = message
      this.#exit = { code, ...(signal !== undefined && { signal }) }
    }
    if (message.type === 'error') this.#failure = new SteadProblem(message.problem)
  }

  #close(code: number): void {
    this.#isClosed = true
    if (!this.#exit && !this.#failure && code !== 1000) this.#failure = this.#lost(code)
    if (this.#failure) this.#exited.reject(this.#failure)
    else this.#exited.resolve(this.#exit)
    // Without this, one that never was ready would be waited for.
    this.#ready.reject(this.#failure ?? new Unreachable(this.#transport.url, 'it ended before it began'))
    this.#wakeReader()
  }

  #lost(code: number): Error {
    if (code === 1008) return new StreamEnded('rights_withdrawn', 'the right to it was withdrawn')
    if (code === 1001) return new StreamEnded('shutting_down', 'the server is stopping, and what ran through it ends')
    return new Unreachable(this.#transport.url, 'the connection was lost, and what ran through it ends')
  }

  #wakeReader(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }
}
