import { Runtime } from '../../controllers/runtime.ts'
import type { LogEntry } from '../../words/log.ts'
import type { Revision } from '../../words/object.ts'
import { SimulatedStore } from '../store.ts'
import { type Mutant, swap } from './mutant.ts'

type Entries = AsyncIterable<readonly LogEntry[]>

class WatchRepeats extends SimulatedStore {
  protected override follow(after: Revision, signal: AbortSignal): Entries {
    return super.follow(Math.max(0, after - 1), signal)
  }
}

class WatchSkips extends SimulatedStore {
  protected override follow(after: Revision, signal: AbortSignal): Entries {
    return super.follow(after + 1, signal)
  }
}

class GoneUnsaid extends SimulatedStore {
  protected override follow(after: Revision, signal: AbortSignal): Entries {
    return super.follow(Math.max(after, this.tail.compacted), signal)
  }
}

/** Bugs on the way from the log to whoever follows it. */
export const readingMutants: readonly Mutant[] = [
  {
    name: 'watch repeats an entry',
    parts: { Store: WatchRepeats },
    caughtBy: ['I5 the log has no holes and watch = log'],
  },
  {
    name: 'watch misses an entry',
    parts: { Store: WatchSkips },
    caughtBy: ['I5 the log has no holes and watch = log', 'everything ends'],
  },
  {
    name: 'watch goes on where the log begins, and does not say that there is a gap',
    parts: { Store: GoneUnsaid },
    emphasis: { 'log-compacted': 0.4, 'log-reading-delayed': 0.1 },
    caughtBy: ['I5 the log has no holes and watch = log'],
  },
  {
    name: 'shard taken up unread',
    install: () =>
      swap(
        Runtime,
        'takeUp',
        () =>
          async function (shards) {
            this.enqueueAll(shards)
          },
      ),
    caughtBy: ['a new holder has read all', 'I4 what is deleted leaves nothing behind'],
  },
]
