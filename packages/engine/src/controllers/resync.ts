import { type Duration, millis, type World } from '@stead/world'
import type { ReadCache } from '../cache/cache.ts'
import type { Runner } from './runner.ts'

export interface ResyncOptions {
  readonly runner: Runner
  readonly cache: ReadCache
  readonly world: World
  /** Within which every key has its turn. */
  readonly period: Duration
  readonly signal: AbortSignal
}

const shortestPause = 1_000

/**
 * Looks at every key of a controller once in a period, a few at a time, in the order of their ids: no key has a timer,
 * no two nodes look in step, and there is never a moment at which everything is looked at. Keys that wait, run or are
 * to run later anyway are passed over.
 */
export async function resync({ runner, cache, world, period, signal }: ResyncOptions): Promise<void> {
  let after: string | undefined
  while (!signal.aborted) {
    const { pause, batch } = pace(cache.platform().count({ kind: runner.kind }), period)
    // Early rather than late: within the period, whatever is drawn.
    await world.sleep(millis(pause * (0.7 + 0.3 * world.random())), signal).catch(() => {})
    if (signal.aborted) return
    const page = cache.platform().list({ kind: runner.kind, limit: batch, ...(after !== undefined && { after }) })
    for (const { id } of page.items) if (!runner.queue.has(id)) runner.wake(id, 'resync')
    after = page.next
  }
}

/** How many keys to look at, and how often, so that all have had their turn within the period. */
export function pace(count: number, period: Duration): { pause: Duration; batch: number } {
  const pause = Math.max(shortestPause, period / Math.max(1, count))
  return { pause: millis(pause), batch: Math.max(1, Math.ceil((count * pause) / period)) }
}
