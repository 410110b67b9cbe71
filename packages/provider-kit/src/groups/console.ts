import type { CallOptions } from '../provider.ts'

export interface ConsoleOptions extends CallOptions {
  /** How much of what was printed before to begin with. */
  readonly scrollbackBytes?: number
}

/** An open console. What is written is typed; output ends when the console is closed or the server is gone. */
export interface ConsoleSession {
  readonly output: AsyncIterable<Uint8Array>
  write(data: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** The screen and keyboard of a machine. */
export interface Console {
  open(id: string, options?: ConsoleOptions): Promise<ConsoleSession>
  /** The last of what was printed, without opening anything. */
  output(id: string, options?: ConsoleOptions): Promise<Uint8Array>
}
