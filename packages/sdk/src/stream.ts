import { readEvents, type ServerEvent } from './events.ts'
import { isProblem, Unreachable } from './problem.ts'
import type { Transport } from './transport.ts'

export interface StreamOptions {
  readonly signal?: AbortSignal
  /** Told when the connection was lost, before it is looked for again. */
  readonly onInterrupted?: (why: string) => void
}

/** The server ended a stream for good, e.g. because the right to it was withdrawn. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded'
  readonly reason: string

  constructor(reason: string, detail: string) {
    super(detail)
    this.reason = reason
  }
}

/** Ends after which a reader may come back to where it was. */
const passing: readonly string[] = ['shutting_down', 'unavailable', 'failed', 'slow_reader']

export interface Resumable extends StreamOptions {
  readonly path: string
  /** Where to begin, if not where the path says. */
  readonly lastEventId?: string
}

/**
 * Reads events, and comes back to where it was when the connection is lost or the server restarts, for as long as the
 * reader wants. Ends when the server says that there is no more; `gone` is told like any event, and is the last.
 */
export async function* resumeEvents(transport: Transport, options: Resumable): AsyncGenerator<ServerEvent> {
  const { path, signal, onInterrupted } = options
  const { machine } = transport
  let lastEventId = options.lastEventId
  for (let failures = 0; ; failures++) {
    let why = 'the connection was lost'
    try {
      const response = await transport.send({
        method: 'GET',
        path,
        headers: { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
        ...(signal && { signal }),
      })
      for await (const event of readEvents(response.body!)) {
        failures = 0
        lastEventId = event.id ?? lastEventId
        if (event.event === 'end') {
          const { reason, detail = reason } = JSON.parse(event.data) as { reason: string; detail?: string }
          if (!passing.includes(reason)) return ended(reason, detail)
          why = detail
          break
        }
        yield event
        if (event.event === 'gone') return
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      const mayPass = error instanceof Unreachable || isProblem(error, 'unavailable', 'rate_limited')
      if (!mayPass || !transport.wasAnswered) throw error
      why = error.message
    }
    if (signal?.aborted) throw signal.reason
    onInterrupted?.(why)
    await machine.sleep(Math.min(5_000, 50 * 2 ** failures) * (0.5 + machine.random() / 2), signal)
  }
}

function ended(reason: string, detail: string): void {
  if (reason === 'rights_withdrawn') throw new StreamEnded(reason, detail)
}
