import type { World } from '@stead/world'
import { durationBuckets, type Metrics } from '../metrics/index.ts'
import { ConflictError } from '../words/errors.ts'
import type { Store } from '../words/store.ts'
import { withCommit } from './with-commit.ts'

/** The same store, whose commits are counted and timed: from asking until they are on disk. */
export function measureCommits<S extends Store>(store: S, metrics: Metrics, world: Pick<World, 'monotonic'>): S {
  const results = metrics.counter('stead_commits', 'Change-sets sent to the store, by what came of them', ['result'])
  const [committed, conflict, failed] = ['committed', 'conflict', 'failed'].map(result => results.with({ result }))
  const duration = metrics.histogram(
    'stead_commit_duration_seconds',
    'Time from sending a change-set to knowing that it is on disk',
    durationBuckets,
  )
  const commit: Store['commit'] = async (set, options) => {
    const began = world.monotonic()
    try {
      const answer = await store.commit(set, options)
      committed!.add()
      return answer
    } catch (error) {
      if (error instanceof ConflictError) conflict!.add()
      else failed!.add()
      throw error
    } finally {
      duration.observe((world.monotonic() - began) / 1_000)
    }
  }
  return withCommit(store, commit)
}
