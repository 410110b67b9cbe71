import { isoTime, realWorld, seconds, type World } from '@stead/world'
import { type Chapter, joined } from '../harness/chapter.ts'
import { diskChapter } from '../harness/disk.ts'
import { count } from '../harness/format.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import type { Report } from '../harness/report.ts'
import { inTurns } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import type { Backend } from './backend.ts'
import { coldStartChapter, type FilledPlace } from './cold-start/cold-start.ts'
import { type Contest, commitChapter, commitWarmUp } from './commits.ts'
import { openStore } from './place.ts'
import { startPostgres } from './postgres/backend.ts'
import { startSqlite } from './sqlite/backend.ts'
import { populate } from './stead.ts'
import { watchChapter } from './watch.ts'
import { operations, Workload } from './workload.ts'

const writerCounts = [1, 16, 256]
const watcherCounts = [1, 1_000]
const storeSizes = [0, 10_000, 100_000]

const fullRun = { rounds: 5, window: seconds(2), watching: seconds(5) }
const quickRun = { rounds: 3, window: seconds(0.5), watching: seconds(2) }

/** The store beside what one would use instead, all in one run, in turns. */
export async function storeSuite(options: Options, scratch: Scratch, say: (progress: string) => void): Promise<Report> {
  const world = realWorld
  const { rounds, window, watching } = options.quick ? quickRun : fullRun
  const facts = [['date', isoTime(world.now())] as const, ...machineFacts(scratch.directory)]
  say('preparing the contenders')
  const backend = await (options.postgres ? startPostgres(world, scratch, options) : startSqlite(world, scratch))
  const loads = operations.flatMap(operation => writerCounts.map(writers => ({ operation, writers, duration: window })))
  const contests: Contest[] = backend.contests.map(contest => ({ ...contest, loads }))
  const inRounds: Chapter[] = [
    diskChapter(world, scratch.directory, window),
    ...contests.map(commitChapter),
    ...backend.watched.map(watched => watchChapter(world, { watcherCounts, duration: watching, ...watched })),
    coldStartChapter(world, scratch, {
      places: await fillPlaces(world, backend, say),
      bar: { objects: 10_000, ready: backend.restartBar },
    }),
  ]
  await inTurns(commitWarmUp(contests, seconds(0.3)), 1, (_, name) => say(`warming up: ${name}`))
  const measurements = inRounds.flatMap(chapter => chapter.measurements)
  const samples = await inTurns(measurements, rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`))
  const { repeated } = backend
  if (repeated)
    await inTurns(
      repeated.chapter.measurements,
      repeated.times,
      (turn, name) => say(`${turn} of ${repeated.times}: ${name}`),
      samples,
    )
  await backend.close()
  const chapters = repeated ? [...inRounds, repeated.chapter] : inRounds
  return {
    title: `The store on ${backend.name}`,
    facts: [...facts, ...backend.facts, ['rounds', `${rounds}${options.quick ? ', short ones' : ''}`]],
    ...joined(chapters.map(chapter => chapter.conclude(samples))),
    omitted: backend.omitted,
    samples,
  }
}

async function fillPlaces(world: World, backend: Backend, say: (progress: string) => void): Promise<FilledPlace[]> {
  const places: FilledPlace[] = []
  for (const objects of storeSizes) {
    say(`preparing a store with ${count(objects)} objects`)
    const place = await backend.newPlace(`filled-${objects}`)
    const store = await openStore(world, place)
    await populate(world, store, new Workload(world), objects)
    await store.close()
    places.push({ place, objects })
  }
  return places
}
