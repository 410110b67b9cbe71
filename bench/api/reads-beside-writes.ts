import type { Duration, World } from '@stead/world'
import type { Chapter } from '../harness/chapter.ts'
import { count, milliseconds, perSecond } from '../harness/format.ts'
import { keepBusy, keepPace, sampleOf } from '../harness/load.ts'
import { atMost } from '../harness/report.ts'
import type { Sample } from '../harness/rounds.ts'
import { median } from '../harness/statistics.ts'
import { Pool } from './client/pool.ts'
import { mustBeDone, type Operation } from './contender.ts'
import type { Stead } from './stead/stead.ts'

const createsPerSecond = 200
const readsPerSecond = 1_000
const connections = 50
const bar = 25
/** As many seconds of creates go by before what is measured begins. */
const warmUpSeconds = 0.5

const atTheirTimes = `reads at ${count(readsPerSecond)}/s beside ${createsPerSecond} creates/s`
const asFastAsTheyCan = `reads on ${connections} connections beside ${createsPerSecond} creates/s`

/** How long a read takes while others write: those that come at their times, and those that take all they can get. */
export function readsBesideWrites(world: World, stead: Stead, duration: Duration): Chapter {
  const steps = {
    [atTheirTimes]: (pool: Pool) => readAtPace(world, stead, pool, duration),
    [asFastAsTheyCan]: (pool: Pool) => readBusily(world, stead, pool, duration),
  }
  return {
    measurements: Object.entries(steps).map(([name, read]) => ({
      name,
      run: () => besideCreates(world, stead, { duration, read }),
    })),
    conclude: samples => ({
      tables: [
        {
          title: 'Reads by id, while projects are created',
          columns: ['', 'reads', 'p50', 'p99', 'p99 of the worst round', 'creates p50', 'creates p99'],
          rows: Object.keys(steps).map(name => {
            const of = (field: string) => samples.of(name, field)
            const times = [median(of('p50')), median(of('p99')), Math.max(...of('p99'))]
            const created = [median(of('createdP50')), median(of('createdP99'))]
            return [name, perSecond(median(of('rate'))), ...[...times, ...created].map(milliseconds)]
          }),
          note: 'What comes at its time counts from the moment it was due, so that a stall counts against all of it.',
        },
      ],
      floors: Object.keys(steps).map(name =>
        atMost({ name: `${name}, p99 of reads`, value: median(samples.of(name, 'p99')), bar, show: milliseconds }),
      ),
      losses: [],
    }),
  }
}

interface Beside {
  readonly duration: Duration
  readonly read: (pool: Pool) => Promise<Sample>
}

async function besideCreates(world: World, stead: Stead, { duration, read }: Beside): Promise<Sample> {
  const [writing, reading] = await Promise.all([Pool.open(stead.port, connections), Pool.open(stead.port, connections)])
  const [created, sample] = await Promise.all([
    keepPace(world, paceOf(createsPerSecond, duration), async turn => {
      await ask(stead, writing, 'create', turn)
      stead.acknowledged++
    }),
    read(reading),
  ])
  for (const pool of [writing, reading]) pool.close()
  return { ...sample, createdP50: created.percentile(50), createdP99: created.percentile(99) }
}

async function readAtPace(world: World, stead: Stead, pool: Pool, duration: Duration): Promise<Sample> {
  const latencies = await keepPace(world, paceOf(readsPerSecond, duration), turn => ask(stead, pool, 'get', turn))
  return sampleOf(duration, latencies)
}

const readBusily = (world: World, stead: Stead, pool: Pool, duration: Duration): Promise<Sample> =>
  keepBusy(world, { workers: connections, duration }, (worker, turn) =>
    ask(stead, pool, 'get', turn * connections + worker),
  )

const paceOf = (perSecond: number, duration: Duration) => {
  const warmUp = perSecond * warmUpSeconds
  return { perSecond, warmUp, count: warmUp + Math.round((duration / 1_000) * perSecond) }
}

async function ask(stead: Stead, pool: Pool, operation: Operation, turn: number): Promise<void> {
  mustBeDone(operation, await pool.ask(stead.requestOf(operation, turn, 0)))
}
