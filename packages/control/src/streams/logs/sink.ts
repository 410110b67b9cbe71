import type { LogBatch } from './lines.ts'

/** Whoever is sent lines. */
export interface LineSink {
  /** Sends them on. False: nothing more until there is room. */
  take(batch: LogBatch): boolean
  /** Resolves when there is room again, or nobody there any more. */
  room(): Promise<void>
}

/** Sends lines on, at the pace of who reads them. */
export async function give(sink: LineSink, batch: LogBatch, signal: AbortSignal): Promise<void> {
  if (!sink.take(batch)) await sink.room()
  signal.throwIfAborted()
}
