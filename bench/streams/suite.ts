import { type Duration, isoTime, realWorld, seconds, type World } from '@stead/world'
import { Pool } from '../api/client/pool.ts'
import { mustBeDone } from '../api/contender.ts'
import { count, factor, megabytes, milliseconds, perSecond } from '../harness/format.ts'
import { keepPace } from '../harness/load.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import { atMost, type Report } from '../harness/report.ts'
import { inTurns, type Measurement, type Sample, type Samples } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { median, ratios } from '../harness/statistics.ts'
import { Printers } from './printers.ts'
import { Readers } from './readers.ts'

export interface StreamLoad {
  readonly printers: number
  /** Of all printers together. */
  readonly linesPerSecond: number
  readonly followers: number
  readonly terminals: number
  readonly duration: Duration
}

/** Issue's bars. */
const bars = { lineP99: 50, apiTimes: 2 }
const load = { printers: 10, linesPerSecond: 1_000, followers: 500, terminals: 50 }
/** A busy person at each terminal. */
const typeEvery = 200
/** Reads of the API meanwhile: enough for a p99, and too few to be what is measured. */
const readsPerSecond = 100

const idle = 'idle'
const busy = 'with streams'

/** Logs followed and terminals open on local instances of one `stead serve`, beside the same when nothing is printed or open. */
export async function streamsSuite(
  options: Options,
  scratch: Scratch,
  say: (progress: string) => void,
): Promise<Report> {
  const world = realWorld
  const facts = [['date', isoTime(world.now())] as const, ...machineFacts(scratch.directory)]
  const duration = options.quick ? seconds(10) : seconds(30)
  const rounds = options.quick ? 1 : 5
  const samples = await measureStreams(world, scratch, { ...load, duration }, rounds, say)
  return {
    title: 'Streams',
    facts: [
      ...facts,
      ['printing', `${load.printers} local instances, ${perSecond(load.linesPerSecond)} lines of 100 letters together`],
      [
        'reading',
        `${load.followers} followers, ${load.followers / load.printers} of each; ${load.terminals} terminals, in each a letter typed every ${typeEvery} ms`,
      ],
      ['rounds', `${rounds} of ${duration / 1_000} s`],
    ],
    ...findings(samples),
    losses: [],
    omitted: [],
    samples,
  }
}

/** Idle and busy, in turns. */
export async function measureStreams(
  world: World,
  scratch: Scratch,
  asked: StreamLoad,
  rounds: number,
  say: (progress: string) => void,
): Promise<Samples> {
  const printers = await Printers.start(world, scratch, asked.printers, asked.linesPerSecond / asked.printers)
  const resting: Measurement = { name: idle, run: () => look(world, printers, asked.duration) }
  const working: Measurement = { name: busy, run: () => lookWhileRead(world, scratch, printers, asked) }
  try {
    return await inTurns([resting, working], rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`))
  } finally {
    await printers.close()
  }
}

async function lookWhileRead(world: World, scratch: Scratch, printers: Printers, asked: StreamLoad): Promise<Sample> {
  await printers.begin()
  const followers = await printers.followers(asked.followers)
  const terminals = await printers.terminals(asked.terminals)
  const readers = await Readers.open(scratch, { port: printers.program.port, followers, terminals, typeEvery })
  try {
    await world.sleep(seconds(1))
    await readers.seen() // what came while they were opened is nobody's latency
    const sample = await look(world, printers, asked.duration)
    const { lost, ...seen } = await readers.seen()
    if (lost > 0) throw new Error(`${lost} streams ended by themselves`)
    return { ...sample, ...seen, linesPerSecond: (seen.lines * 1_000) / asked.duration }
  } finally {
    await readers.close()
    await printers.rest()
  }
}

/** How the server fares for a while: its memory, its event loop, and who asks it something. */
async function look(world: World, printers: Printers, duration: Duration): Promise<Sample> {
  const { program } = printers
  // The lag is that since the metrics were last read.
  const read = () => program.metrics('process_cpu_seconds_total', 'stead_event_loop_lag_seconds\\{quantile="0\\.99"\\}')
  const pool = await Pool.open(program.port, 8)
  const [before] = await read()
  const pace = { perSecond: readsPerSecond, count: (readsPerSecond * duration) / 1_000, warmUp: readsPerSecond }
  const reads = await keepPace(world, pace, async () => mustBeDone('get', await pool.ask(printers.request())))
  const [after, lag] = await read()
  pool.close()
  return {
    ...{ apiP50: reads.percentile(50), apiP99: reads.percentile(99), loopP99: lag! * 1_000 },
    processor: (after! - before!) / (duration / 1_000),
    memory: await program.residentBytes(),
  }
}

export function findings(samples: Samples): Pick<Report, 'tables' | 'floors'> {
  const of = (name: string, field: string, show: (value: number) => string) => show(median(samples.of(name, field)))
  const times = median(ratios(samples.of(busy, 'apiP99'), samples.of(idle, 'apiP99')))
  const row = (name: string) => [
    name,
    ...[of(name, 'memory', megabytes), of(name, 'processor', value => `${value.toFixed(2)} cores`)],
    ...['loopP99', 'apiP50', 'apiP99'].map(field => of(name, field, milliseconds)),
  ]
  return {
    tables: [
      {
        title: 'The server',
        columns: ['', 'memory', 'processor', 'event loop lag p99', 'GET p50', 'GET p99'],
        rows: [row(idle), row(busy)],
        note: `GET of an instance, ${readsPerSecond} a second, from when each was due.`,
      },
      {
        title: 'What readers see',
        columns: ['', 'a second', 'p50', 'p99'],
        rows: [
          [
            'lines received',
            of(busy, 'linesPerSecond', count),
            of(busy, 'lineP50', milliseconds),
            of(busy, 'lineP99', milliseconds),
          ],
          ['letters echoed', '', of(busy, 'echoP50', milliseconds), of(busy, 'echoP99', milliseconds)],
        ],
        note: 'From when a process printed a line until a reader has it; from when a letter was sent until it comes back from the terminal.',
      },
    ],
    floors: [
      atMost({ name: 'line, p99', value: median(samples.of(busy, 'lineP99')), bar: bars.lineP99, show: milliseconds }),
      atMost({ name: 'GET p99, beside idle', value: times, bar: bars.apiTimes, show: factor }),
    ],
  }
}
