import { GoneError } from '@stead/engine'
import type { DoorEngine } from './engine.ts'
import type { Feed } from './feed.ts'
import type { Freshness } from './freshness.ts'
import type { Services } from './services.ts'
import { Watcher } from './watcher.ts'

/** How routes follow the log: refused before the stream opens when the log no longer reaches back that far. */
export function follower(engine: DoorEngine, feed: Feed, freshness: Freshness): Services['follow'] {
  const { cache, store } = engine
  return async ({ place, since = feed.head, show }) => {
    await freshness.await(since)
    const compacted = await store.compacted()
    if (since < compacted) throw new GoneError(since, compacted)
    return { stream: stream => new Watcher({ feed, cache, store, stream, place, since, show }).run() }
  }
}
