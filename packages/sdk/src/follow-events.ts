import type { Event } from './generated/api.ts'
import { isProblem, Unreachable } from './problem.ts'
import type { StreamOptions } from './stream.ts'
import type { Transport } from './transport.ts'

/** How often it is looked: things of every kind have events, and not all of those can be watched. */
const lookEvery = 1_000

/**
 * What happened to something, the oldest first, and then what happens, each once, over restarts of the server. Ends when
 * the thing is gone. `read` answers its events as the API lists them, the newest first.
 */
export async function* followEvents(
  { machine, wasAnswered }: Pick<Transport, 'machine' | 'wasAnswered'>,
  read: () => AsyncIterable<Event>,
  { signal, onInterrupted }: StreamOptions = {},
): AsyncGenerator<Event, void> {
  let last = 0
  for (let hasBegun = wasAnswered; ; ) {
    try {
      const found = await newerThan(last, read())
      hasBegun = true
      yield* found
      last = Math.max(last, ...found.map(({ id }) => Number(id)))
    } catch (error) {
      if (hasBegun && isProblem(error, 'not_found')) return
      const mayPass = error instanceof Unreachable || isProblem(error, 'unavailable', 'rate_limited')
      if (!mayPass || !hasBegun) throw error
      onInterrupted?.(error.message)
    }
    await machine.sleep(lookEvery, signal)
  }
}

/** Ids grow in the order in which things happened, whatever the clocks of servers say. */
async function newerThan(last: number, events: AsyncIterable<Event>): Promise<readonly Event[]> {
  const found: Event[] = []
  for await (const event of events) {
    if (Number(event.id) <= last) break
    found.push(event)
  }
  return found.reverse()
}
