import type { Duration, World } from '@stead/world'
import type { Chapter } from '../harness/chapter.ts'
import { count, factor, microseconds, milliseconds, percent, perSecond } from '../harness/format.ts'
import { keepBusy } from '../harness/load.ts'
import { atLeast, type Floor, type Table } from '../harness/report.ts'
import type { Measurement, Sample, Samples } from '../harness/rounds.ts'
import { median, ratios } from '../harness/statistics.ts'
import { HttpConnection } from './client/connection.ts'
import { type Contender, mustBeDone, type Operation, operations } from './contender.ts'

export interface Contest {
  readonly ours: Readonly<Record<Operation, Contender & { acknowledged: number }>>
  readonly bare: Contender
  readonly connectionCounts: readonly number[]
  readonly duration: Duration
}

const bars = { getBesideBare: 0.5, createsPerSecond: 2_000 }

interface Entry {
  readonly operation: Operation
  readonly connections: number
  readonly contender: Contender
}

/** Requests answered a second, ours beside a route that does nothing, at several numbers of connections. */
export function requestChapter(world: World, contest: Contest): Chapter {
  const entries = entriesOf(contest)
  return {
    measurements: measurementsOf(world, contest, contest.duration),
    conclude: samples => ({
      tables: [table(contest, entries, samples)],
      floors: floors(contest, samples),
      losses: losses(contest, entries, samples),
    }),
  }
}

/** The same measurements, each cut short: enough for the compiler to have seen the code. */
export const requestWarmUp = (world: World, contest: Contest, duration: Duration): readonly Measurement[] =>
  measurementsOf(world, contest, duration)

const nameOf = ({ operation, connections, contender }: Entry): string =>
  `${operation} by ${contender.name}, ${connections === 1 ? '1 connection' : `${connections} connections`}`

/** Both at one load are next to each other in time, for the fairest ratio. */
const entriesOf = ({ ours, bare, connectionCounts }: Contest): Entry[] =>
  operations.flatMap(operation =>
    connectionCounts.flatMap(connections =>
      [ours[operation], bare].map(contender => ({ operation, connections, contender })),
    ),
  )

const measurementsOf = (world: World, contest: Contest, duration: Duration): Measurement[] =>
  entriesOf(contest).map(entry => ({ name: nameOf(entry), run: () => measure(world, contest, entry, duration) }))

async function measure(world: World, { ours }: Contest, entry: Entry, duration: Duration): Promise<Sample> {
  const { operation, connections: workers, contender } = entry
  const connections = await Promise.all(Array.from({ length: workers }, () => HttpConnection.open(contender.port)))
  const [usedBefore, clientBefore] = [await contender.processorSeconds(), process.cpuUsage()]
  const start = world.monotonic()
  let answered = 0
  const sample = await keepBusy(world, { workers, duration }, async (worker, turn) => {
    mustBeDone(operation, await connections[worker]!.ask(contender.requestOf(operation, worker, turn)))
    answered++
  })
  const client = process.cpuUsage(clientBefore)
  const clientShare = (client.user + client.system) / 1e3 / (world.monotonic() - start)
  const used = (await contender.processorSeconds()) - usedBefore
  for (const connection of connections) connection.close()
  if (operation === 'create' && contender === ours.create) ours.create.acknowledged += answered
  return { ...sample, processorSecondsEach: used / answered, clientShare }
}

const ratesOf = (samples: Samples, entry: Entry): number[] => samples.of(nameOf(entry), 'rate')

/** Ours against the bare route, round by round. */
const ratioOf = ({ ours, bare }: Contest, samples: Samples, entry: Entry): number => {
  const of = (contender: Contender) => ratesOf(samples, { ...entry, contender })
  return median(ratios(of(ours[entry.operation]), of(bare)))
}

const table = (contest: Contest, entries: readonly Entry[], samples: Samples): Table => ({
  title: 'Requests answered',
  columns: [
    'request',
    'connections',
    'by',
    'median',
    'slowest round',
    'ours is',
    'p50',
    'p99',
    'processor each',
    'client',
  ],
  rows: entries.map(entry => {
    const of = (field: string) => median(samples.of(nameOf(entry), field))
    return [
      entry.operation,
      count(entry.connections),
      entry.contender.name,
      perSecond(median(ratesOf(samples, entry))),
      perSecond(Math.min(...ratesOf(samples, entry))),
      entry.contender === contest.bare ? factor(ratioOf(contest, samples, entry)) : '',
      milliseconds(of('p50')),
      milliseconds(of('p99')),
      microseconds(of('processorSecondsEach') * 1e6),
      percent(of('clientShare')),
    ]
  }),
  note: [
    'get: a project by its id. list: a page of 100 projects. create: a project with the key of its name, the counter of its',
    'organization and a line of the audit log, on disk before it is answered; the bare route keeps nothing. Both are asked',
    'with the same bytes and answer the same.',
    'processor each: time of the server process, all its threads, per request. client: share of one core that the load',
    'generator took; near 100 % it would be what is measured.',
  ].join('\n'),
})

function floors(contest: Contest, samples: Samples): Floor[] {
  const { ours, bare, connectionCounts } = contest
  const besideBare = connectionCounts.map(connections => {
    const value = ratioOf(contest, samples, { operation: 'get', connections, contender: bare })
    const name = `get, ${connections === 1 ? '1 connection' : `${connections} connections`}, beside bare fastify`
    return atLeast({ name, value, bar: bars.getBesideBare, show: factor })
  })
  const entry: Entry = { operation: 'create', connections: Math.max(...connectionCounts), contender: ours.create }
  const value = median(ratesOf(samples, entry))
  const creates = atLeast({ name: `durable ${nameOf(entry)}`, value, bar: bars.createsPerSecond, show: perSecond })
  return [...besideBare, creates]
}

const losses = (contest: Contest, entries: readonly Entry[], samples: Samples): string[] =>
  entries
    .filter(entry => entry.contender === contest.bare && ratioOf(contest, samples, entry) < 1)
    .map(entry => `${nameOf(entry)}: ours does ${factor(ratioOf(contest, samples, entry))} of it`)
