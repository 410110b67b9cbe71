import type { Contest } from './commits.ts'
import type { Place } from './place.ts'
import type { WatchedPair } from './watch.ts'

/** One database under the store, ready to be measured. */
export interface Backend extends Pick<Contest, 'ours' | 'others'> {
  readonly name: string
  readonly facts: readonly (readonly [string, string])[]
  /** In milliseconds: 99 of 100 commits to a watcher; a process on 10,000 objects until it can answer. */
  readonly bars: { readonly watch: number; readonly restart: number }
  /** Contenders that are not here, and how to have them. */
  readonly omitted: readonly string[]
  /** Room for an empty store. */
  newPlace(name: string): Promise<Place>
  openWatched(): Promise<WatchedPair>
  /** Ends everything, and throws when a contender does not hold exactly what it acknowledged. */
  close(): Promise<void>
}
