export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

export const execSignals = ['HUP', 'INT', 'QUIT', 'KILL', 'TERM', 'USR1', 'USR2', 'WINCH'] as const
export type ExecSignal = (typeof execSignals)[number]

export interface ExecRequest {
  /** Which service; its main one when it is not said. A machine has none. */
  readonly service?: string
  readonly command: readonly string[]
  /** With a terminal of this size; then everything it prints is `stdout`. */
  readonly tty?: TerminalSize
  readonly env?: Readonly<Record<string, string>>
  readonly user?: string
  readonly directory?: string
}

export interface ExecOutput {
  readonly stream: 'stdout' | 'stderr'
  readonly data: Uint8Array
}

/** How it ended. A process killed by a signal has that signal; its code is then 128 + its number, as in a shell. */
export interface ExecExit {
  readonly code: number
  readonly signal?: string
}

/**
 * A command running inside. Output is pulled: a reader that is slow holds up the command and nobody else. It ends when the
 * command has ended and everything it printed was read. A command that cannot be run exits with 126 or 127, as in a shell.
 */
export interface ExecSession {
  readonly output: AsyncIterable<ExecOutput>
  /** Rejects when the session itself is lost, which is not the command's end. */
  readonly exit: Promise<ExecExit>
  /** Resolves when the other side has taken it. */
  write(data: Uint8Array): Promise<void>
  /** No more input: the command sees its end. */
  endInput(): Promise<void>
  resize(size: TerminalSize): Promise<void>
  signal(signal: ExecSignal): Promise<void>
  /** Ends the session and what runs in it. */
  close(): Promise<void>
}
