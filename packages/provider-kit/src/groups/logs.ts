import type { Instant } from '@stead/world'

export interface LogRequest {
  /** Which service; all of them when it is not said. */
  readonly service?: string
  /** Goes on as lines are printed, across restarts, until the server is gone. */
  readonly follow?: boolean
  /** Only what was printed at this moment or later. */
  readonly since?: Instant
  /** Only this many of the last lines, then what follows. */
  readonly tail?: number
  /** Only what comes after this line: how a reader who lost the connection goes on without a lost or doubled line. */
  readonly after?: string
}

/** Longer lines come in pieces of this many bytes. */
export const maxLogLineBytes = 65_536

export interface LogLine {
  readonly at: Instant
  /** Empty for a machine. */
  readonly service: string
  readonly stream: 'stdout' | 'stderr'
  readonly line: string
  /** The line goes on in the next one of the same service and stream. */
  readonly partial?: boolean
  /** Lines between the one asked for as `after` and this one are no longer kept. */
  readonly gap?: boolean
  /** Where this line is, for `after`. Means something to this provider only. */
  readonly cursor: string
}
