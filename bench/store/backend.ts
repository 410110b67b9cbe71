import type { Chapter } from '../harness/chapter.ts'
import type { Contest } from './commits.ts'
import type { Place } from './place.ts'
import type { WatchLoad } from './watch.ts'

/** One database under the store, ready to be measured. */
export interface Backend {
  readonly name: string
  readonly facts: readonly (readonly [string, string])[]
  readonly contests: readonly Omit<Contest, 'loads'>[]
  readonly watched: readonly Pick<WatchLoad, 'open' | 'bar' | 'between'>[]
  /** Milliseconds within which a process on 10,000 objects can answer. */
  readonly restartBar: number
  /** What is not measured in rounds, because one time of it takes long: so many times, after everything else. */
  readonly repeated?: { readonly chapter: Chapter; readonly times: number }
  /** Contenders that are not here, and how to have them. */
  readonly omitted: readonly string[]
  /** Room for an empty store. */
  newPlace(name: string): Promise<Place>
  /** Ends everything, and throws when a contender does not hold exactly what it acknowledged. */
  close(): Promise<void>
}
