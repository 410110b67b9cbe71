import { changeSet, type ObjectDraft, type Store } from '@stead/engine'
import { type Duration, seconds, type World } from '@stead/world'
import type { Chapter } from '../harness/chapter.ts'
import { milliseconds } from '../harness/format.ts'
import { Latencies } from '../harness/latencies.ts'
import { keepPace } from '../harness/load.ts'
import { atMost, type Floor, type Table } from '../harness/report.ts'
import type { Sample, Samples } from '../harness/rounds.ts'
import { median } from '../harness/statistics.ts'
import { Workload } from './workload.ts'

const commitsPerSecond = 500
/** Those of the first half second. */
const warmUpCommits = commitsPerSecond / 2

/** Where commits go in and where watchers listen: one store, or two nodes of one. */
export interface WatchedPair {
  readonly writer: Store
  readonly watched: Store
  close(): Promise<void>
}

export interface WatchLoad {
  readonly watcherCounts: readonly number[]
  readonly duration: Duration
  /** Milliseconds within which 99 of 100 must be there. */
  readonly bar: number
  /** Says what is between writer and watcher, where that is more than one store. */
  readonly between?: string
  open(): Promise<WatchedPair>
}

/** From the moment a commit was due to the moment a watcher has it, with commits coming whether or not the last is done. */
export const watchChapter = (world: World, load: WatchLoad): Chapter => ({
  measurements: load.watcherCounts.map(watchers => ({
    name: nameOf(load, watchers),
    async run() {
      const pair = await load.open()
      try {
        return await measure(world, pair, { ...load, watchers })
      } finally {
        await pair.close()
      }
    },
  })),
  conclude: samples => ({ tables: [table(load, samples)], floors: floors(load, samples), losses: [] }),
})

const nameOf = ({ between }: WatchLoad, watchers: number): string =>
  `commit to ${watchers === 1 ? '1 watcher' : `${watchers} watchers`}${between ? `, ${between}` : ''}`

const table = (load: WatchLoad, samples: Samples): Table => ({
  title: `Commit to watcher, ${commitsPerSecond} commits/s${load.between ? `, ${load.between}` : ''}`,
  columns: ['watchers', 'p50', 'p99', 'p99 of the worst round', 'slowest of all', 'acknowledged p50', 'p99'],
  rows: load.watcherCounts.map(watchers => {
    const of = (field: string) => samples.of(nameOf(load, watchers), field)
    const [p50, p99, worst] = [of('p50'), of('p99'), of('worst')]
    const numbers = [median(p50), median(p99), Math.max(...p99), Math.max(...worst)]
    const acknowledged = [median(of('acknowledgedP50')), median(of('acknowledgedP99'))]
    return [String(watchers), ...[...numbers, ...acknowledged].map(milliseconds)]
  }),
  note: 'From the moment a commit was due, so that a stall counts against every commit that was due during it.',
})

const floors = (load: WatchLoad, samples: Samples): Floor[] =>
  load.watcherCounts.map(watchers => {
    const name = nameOf(load, watchers)
    return atMost({ name: `${name}, p99`, value: median(samples.of(name, 'p99')), bar: load.bar, show: milliseconds })
  })

interface OneLoad {
  readonly watchers: number
  readonly duration: Duration
}

async function measure(world: World, { writer, watched }: WatchedPair, load: OneLoad): Promise<Sample> {
  const commits = warmUpCommits + Math.round((load.duration / 1_000) * commitsPerSecond)
  const seen = new Latencies()
  const stop = new AbortController()
  const after = writer.head()
  const watching = Array.from({ length: load.watchers }, () =>
    follow(world, watched, { after, commits, seen }, stop.signal),
  )
  const acknowledged = await commitAtRate(world, writer, commits)
  const late = world.sleep(seconds(20), stop.signal).then(() => {
    throw new Error(`watchers saw ${seen.count} of ${load.watchers * (commits - warmUpCommits)} changes`)
  })
  await Promise.race([Promise.all(watching), late]).finally(() => stop.abort())
  return {
    p50: seen.percentile(50),
    p99: seen.percentile(99),
    worst: seen.worst,
    acknowledgedP50: acknowledged.percentile(50),
    acknowledgedP99: acknowledged.percentile(99),
  }
}

interface Following {
  readonly after: number
  readonly commits: number
  readonly seen: Latencies
}

/** Reads until it has everything, and checks that it is everything: each revision once, in order. */
async function follow(
  world: World,
  store: Store,
  { after, commits, seen }: Following,
  signal: AbortSignal,
): Promise<void> {
  let revision = after
  for await (const entries of store.watch(after, signal)) {
    const now = world.monotonic()
    for (const entry of entries) {
      if (entry.revision !== ++revision) throw new Error(`a watcher saw ${entry.revision} after ${revision - 1}`)
      if (revision > after + warmUpCommits) seen.record(now - dueOf(entry.changes[0]!.object))
    }
    if (revision === after + commits) return
  }
}

function commitAtRate(world: World, store: Store, commits: number): Promise<Latencies> {
  const objects = new Workload(world).creations(1_000).map(({ object }) => object)
  const pace = { perSecond: commitsPerSecond, count: commits, warmUp: warmUpCommits }
  return keepPace(world, pace, (turn, due) => {
    const set = changeSet(world)
    set.puts.push(dueAt(objects[turn % objects.length]!, due))
    return store.commit(set)
  })
}

interface DueStatus {
  readonly due: number
}

const dueAt = (object: ObjectDraft, due: number): ObjectDraft<unknown, unknown> => ({
  ...object,
  status: { ...object.status, due } satisfies DueStatus,
})

const dueOf = ({ status }: ObjectDraft): number => (status as unknown as DueStatus).due
