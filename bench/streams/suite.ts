import { type Duration, isoTime, realWorld, seconds, type World } from '@stead/world'
import { Pool } from '../api/client/pool.ts'
import { mustBeDone } from '../api/contender.ts'
import { keepPace } from '../harness/load.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import { goingFirst } from '../harness/priority.ts'
import { QuietLatencies } from '../harness/quiet-latencies.ts'
import type { Report } from '../harness/report.ts'
import { inTurns, type Measurement, type Sample, type Samples } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { undisturbed } from '../harness/undisturbed.ts'
import { findings, idle, readsPerSecond, typeEvery } from './findings.ts'
import { describeLoad, type StreamLoad } from './load.ts'
import { Printers, type Printing } from './printers.ts'
import { Readers } from './readers.ts'

const terminals = 50

/** Each of 1,000 lines a second and 500 followers: spread evenly, all on one log, and as it mostly is. */
const loads: readonly StreamLoad[] = [
  { name: 'ten logs', groups: [{ logs: 10, lines: 100, followers: 50 }], terminals },
  { name: 'one log', groups: [{ logs: 1, lines: 1_000, followers: 500 }], terminals },
  {
    name: 'a busy one and many quiet ones',
    groups: [
      { logs: 1, lines: 500, followers: 400 },
      { logs: 100, lines: 5, followers: 1 },
    ],
    terminals,
  },
]

/** Logs followed and terminals open on local instances of one `stead serve`, beside the same when nothing is printed or open. */
export async function streamsSuite(
  options: Options,
  scratch: Scratch,
  say: (progress: string) => void,
): Promise<Report> {
  const world = realWorld
  const facts = [['date', isoTime(world.now())] as const, ...machineFacts(scratch.directory)]
  const duration = options.quick ? seconds(10) : seconds(20)
  const rounds = options.quick ? 1 : 5
  const samples = await measureStreams(world, scratch, { loads, duration, rounds }, say)
  return {
    title: 'Streams',
    facts: [
      ...facts,
      ...loads.map(load => [load.name, describeLoad(load)] as const),
      ['typing', `a letter every ${typeEvery} ms in each terminal`],
      ['rounds', `${rounds} of ${duration / 1_000} s`],
    ],
    ...findings(samples, loads),
    losses: [],
    omitted: [],
    samples,
  }
}

export interface StreamMeasurement {
  readonly loads: readonly StreamLoad[]
  readonly duration: Duration
  readonly rounds: number
}

/** Idle and each load, in turns. */
export async function measureStreams(
  world: World,
  scratch: Scratch,
  { loads, duration, rounds }: StreamMeasurement,
  say: (progress: string) => void,
): Promise<Samples> {
  const printers = await Printers.start(world, scratch)
  try {
    const busy: Measurement[] = []
    for (const load of loads) {
      const printing = await printers.add(load)
      const run = () => lookWhileRead(world, scratch, { printers, printing, load, duration })
      busy.push({ name: load.name, run })
    }
    const resting: Measurement = { name: idle, run: () => look(world, printers, duration) }
    const all = [resting, ...busy].map(each => undisturbed(world, each))
    return await inTurns(all, rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`))
  } finally {
    await printers.close()
  }
}

interface Busy {
  readonly printers: Printers
  readonly printing: Printing
  readonly load: StreamLoad
  readonly duration: Duration
}

async function lookWhileRead(
  world: World,
  scratch: Scratch,
  { printers, printing, load, duration }: Busy,
): Promise<Sample> {
  await printing.begin()
  const followers = printing.followers()
  const terminals = await printing.terminals(load.terminals)
  const readers = await Readers.open(scratch, { port: printers.program.port, followers, terminals, typeEvery })
  try {
    await world.sleep(seconds(1))
    await readers.seen() // what came while they were opened is nobody's latency
    const sample = await look(world, printers, duration)
    const { lost, processorSeconds, ...seen } = await readers.seen()
    if (lost.length > 0) throw new Error(`${lost.length} streams ended by themselves: ${lost[0]}`)
    const length = duration / 1_000
    return { ...sample, ...seen, linesPerSecond: seen.lines / length, readersProcessor: processorSeconds / length }
  } finally {
    await readers.close()
    await printing.rest()
  }
}

/** How the server fares for a while: its memory, its event loop, and who asks it something. */
async function look(world: World, printers: Printers, duration: Duration): Promise<Sample> {
  const { program } = printers
  // The lag is that since the metrics were last read.
  const metrics = () =>
    program.metrics('process_cpu_seconds_total', 'stead_event_loop_lag_seconds\\{quantile="0\\.99"\\}')
  const pool = await Pool.open(program.port, 8)
  const [before] = await metrics()
  const reading = new QuietLatencies()
  const pace = { perSecond: readsPerSecond, count: (readsPerSecond * duration) / 1_000, warmUp: 0 }
  const read = async (turn: number, due: number) => {
    mustBeDone('get', await pool.ask(printers.request()))
    if (turn >= readsPerSecond) reading.record(world.monotonic() - due)
  }
  await goingFirst(() => keepPace(world, pace, read))
  const reads = reading.end()
  const [after, lag] = await metrics()
  pool.close()
  return {
    ...{ apiP50: reads.percentile(50), apiP99: reads.percentile(99), loopP99: lag! * 1_000 },
    processor: (after! - before!) / (duration / 1_000),
    memory: await program.residentBytes(),
  }
}
