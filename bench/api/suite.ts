import { isoTime, realWorld, seconds } from '@stead/world'
import { type Chapter, joined } from '../harness/chapter.ts'
import { diskChapter } from '../harness/disk.ts'
import { count, megabytes } from '../harness/format.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import type { Report, Table } from '../harness/report.ts'
import { inTurns } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { BareFastify } from './bare/bare.ts'
import { readsBesideWrites } from './reads-beside-writes.ts'
import { type Contest, requestChapter, requestWarmUp } from './requests.ts'
import { startChapter } from './start.ts'
import { Stead } from './stead/stead.ts'

const connectionCounts = [1, 50, 200]
const population = 10_000

const fullRun = { rounds: 5, window: seconds(2), besideWrites: seconds(5) }
const quickRun = { rounds: 3, window: seconds(1), besideWrites: seconds(2) }

/** `stead serve` as users run it beside a server that does nothing, in one run, in turns. */
export async function apiSuite(options: Options, scratch: Scratch, say: (progress: string) => void): Promise<Report> {
  const world = realWorld
  const { rounds, window, besideWrites } = options.quick ? quickRun : fullRun
  const facts = [['date', isoTime(world.now())] as const, ...machineFacts(scratch.directory)]
  say(`preparing ${count(population)} projects`)
  // What is created in one must not make reads of the other slower round by round.
  const reading = await Stead.start(world, scratch, population)
  const writing = await Stead.start(world, scratch, 0)
  const bare = await BareFastify.start(scratch, await reading.exchanges())
  const ours = { get: reading, list: reading, create: writing }
  const contest: Contest = { ours, bare, connectionCounts, duration: window }
  const chapters: Chapter[] = [
    diskChapter(world, scratch.directory, window),
    requestChapter(world, contest),
    readsBesideWrites(world, reading, besideWrites),
    startChapter(world, scratch),
  ]
  await inTurns(requestWarmUp(world, contest, seconds(1)), 1, (_, name) => say(`warming up: ${name}`))
  const measurements = chapters.flatMap(chapter => chapter.measurements)
  const samples = await inTurns(measurements, rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`))
  say('seeing that everything acknowledged is there after a kill')
  const weights = await weightTable([reading, writing])
  for (const stead of [reading, writing]) {
    await stead.survives()
    await stead.stop()
  }
  await bare.stop()
  const findings = joined(chapters.map(chapter => chapter.conclude(samples)))
  return {
    title: 'The API on SQLite',
    facts: [
      ...facts,
      ['servers', '`stead serve` with its defaults and bare fastify, each in a process of its own'],
      ['client', 'one process on the same machine; a connection asks again when it is answered'],
      ['rounds', `${rounds}${options.quick ? ', short ones' : ''}`],
    ],
    ...findings,
    tables: [...findings.tables, weights],
    omitted: [],
    samples,
  }
}

/** Not idle, and no floor: what it holds right after all that was asked of it. */
async function weightTable(servers: readonly Stead[]): Promise<Table> {
  const rows = servers.map(async stead => [count(stead.acknowledged), megabytes(await stead.residentBytes())])
  return {
    title: 'Memory after the load of this run',
    columns: ['projects', 'resident'],
    rows: await Promise.all(rows),
  }
}
