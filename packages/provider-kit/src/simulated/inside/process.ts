import type { ExecExit, ExecOutput, ExecRequest, ExecSignal, TerminalSize } from '../../groups/exec.ts'
import { Pipe } from './pipe.ts'

/** What a command can reach from inside its server. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>
  read(path: string): Uint8Array | undefined
  write(path: string, content: Uint8Array): void
  delete(path: string): boolean
  /** Into the log of the service it runs in. */
  print(line: string): void
  reaches(address: string, port: number): boolean
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

export type Command = (process: Process, args: readonly string[]) => Promise<number>

const signalNumbers: Readonly<Record<ExecSignal, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  TERM: 15,
  WINCH: 28,
}

/** Chunks that may wait in each direction before a writer is held up. */
const waiting = 16

/** A command that runs inside a server, until it ends, is killed, or its server goes down. */
export class Process {
  readonly surroundings: Surroundings
  readonly input = new Pipe<Uint8Array>(waiting)
  readonly output = new Pipe<ExecOutput>(waiting)
  readonly exit: Promise<ExecExit>
  readonly hasTty: boolean
  size: TerminalSize
  readonly #end = new AbortController()
  readonly #traps = new Map<ExecSignal, () => void>()
  #exited!: (exit: ExecExit) => void

  constructor(request: ExecRequest, surroundings: Surroundings) {
    this.surroundings = surroundings
    this.hasTty = request.tty !== undefined
    this.size = request.tty ?? { columns: 80, rows: 24 }
    this.exit = new Promise(resolve => (this.#exited = resolve))
  }

  async run(command: Command, args: readonly string[]): Promise<void> {
    const code = await command(this, args).catch(() => 1)
    this.finish({ code })
  }

  /** Aborted once it has ended. */
  get ended(): AbortSignal {
    return this.#end.signal
  }

  say(text: string | Uint8Array, stream: ExecOutput['stream'] = 'stdout'): Promise<void> {
    const data = typeof text === 'string' ? Buffer.from(text) : text
    return this.output.write({ stream: this.hasTty ? 'stdout' : stream, data })
  }

  trap(signal: ExecSignal, handle: () => void): void {
    this.#traps.set(signal, handle)
  }

  signal(signal: ExecSignal): void {
    const handle = signal === 'KILL' ? undefined : this.#traps.get(signal)
    if (handle) handle()
    else if (signal !== 'WINCH') this.finish({ code: 128 + signalNumbers[signal], signal })
  }

  resize(size: TerminalSize): void {
    this.size = size
    this.signal('WINCH')
  }

  finish(exit: ExecExit): void {
    if (this.ended.aborted) return
    this.#end.abort()
    this.input.cut()
    this.output.end()
    this.#exited(exit)
  }
}
