import { seconds, type World } from '@stead/world'
import type { Chapter } from '../harness/chapter.ts'
import { megabytes, milliseconds } from '../harness/format.ts'
import { atMost } from '../harness/report.ts'
import type { Sample, Samples } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { median } from '../harness/statistics.ts'
import { SteadProgram } from './stead/program.ts'

const bars = { ready: 700, idle: 160e6 }
const settling = seconds(5)

const started = 'start, stop, start again'
const installed = 'start right after an installation'

/**
 * `stead serve` from before its process exists until it says that it listens and answers that it is ready, and what it
 * weighs: the moment it came up, and with nothing to do for some seconds, before and after a few requests of each kind.
 */
export const startChapter = (world: World, scratch: Scratch): Chapter => ({
  measurements: [
    { name: started, run: () => startTwice(world, scratch) },
    { name: installed, run: () => startUncompiled(world, scratch) },
  ],
  conclude: samples => ({
    tables: [
      {
        title: '`stead serve` to listening and ready',
        columns: ['', 'median', 'slowest round'],
        rows: [
          timeRow(samples, 'on an empty data directory', started, 'first'),
          timeRow(samples, 'again on the same', started, 'second'),
          timeRow(samples, 'on an empty data directory, right after an installation', installed, 'first'),
        ],
        note: 'From before the process exists. Right after an installation there is nothing compiled to go on from.',
      },
      {
        title: 'Memory of that process',
        columns: ['', 'resident', 'largest round'],
        rows: Object.entries(weighed).map(([field, name]) => memoryRow(samples, name, field)),
        note: `Idle: with nothing to do for ${settling / 1_000} s.`,
      },
    ],
    floors: [
      readyFloor(samples, 'stead serve on an empty data directory', 'first'),
      readyFloor(samples, 'stead serve again', 'second'),
      ...['idleAtFirst', 'idleAgain'].map(field => memoryFloor(samples, field)),
    ],
    losses: [],
  }),
})

const weighed: Readonly<Record<string, string>> = {
  upAtFirst: 'as it says that it listens, empty data directory',
  idleAtFirst: 'idle on an empty data directory',
  idleAgain: 'idle after it was started again and has answered its first requests',
}

const readyFloor = (samples: Samples, name: string, field: string) =>
  atMost({ name, value: median(samples.of(started, field)), bar: bars.ready, show: milliseconds })

const memoryFloor = (samples: Samples, field: string) =>
  atMost({
    name: `memory, ${weighed[field]}`,
    value: median(samples.of(started, field)),
    bar: bars.idle,
    show: megabytes,
  })

const timeRow = (samples: Samples, name: string, measured: string, field: string): string[] => {
  const times = samples.of(measured, field)
  return [name, milliseconds(median(times)), milliseconds(Math.max(...times))]
}

const memoryRow = (samples: Samples, name: string, field: string): string[] => {
  const sizes = samples.of(started, field)
  return [name, megabytes(median(sizes)), megabytes(Math.max(...sizes))]
}

async function startTwice(world: World, scratch: Scratch): Promise<Sample> {
  const data = scratch.newDirectory('start')
  const first = await SteadProgram.start(world, scratch, { data })
  const upAtFirst = await first.residentBytes()
  await world.sleep(settling)
  const idleAtFirst = await first.residentBytes()
  await firstRequests(first)
  await first.stop()
  const second = await SteadProgram.start(world, scratch, { data })
  await firstRequests(second)
  await world.sleep(settling)
  const idleAgain = await second.residentBytes()
  await second.stop()
  return { first: first.readyAfter, second: second.readyAfter, upAtFirst, idleAtFirst, idleAgain }
}

/** What Node made of our TypeScript is kept in a place that is empty. */
async function startUncompiled(world: World, scratch: Scratch): Promise<Sample> {
  const env = { NODE_COMPILE_CACHE: scratch.newDirectory('compiled') }
  const program = await SteadProgram.start(world, scratch, { data: scratch.newDirectory('start'), env })
  await program.stop()
  return { first: program.readyAfter }
}

async function firstRequests(program: SteadProgram): Promise<void> {
  const name = `org-${(await program.ask('GET', '/v1/organizations')).items.length}`
  await program.ask('POST', '/v1/organizations', { name })
  for (const each of ['web', 'lab', 'shop']) {
    const { metadata } = await program.ask('POST', `/v1/organizations/${name}/projects`, { name: each })
    await program.ask('GET', `/v1/projects/${metadata.id}`)
    await program.ask('GET', `/v1/organizations/${name}/projects`)
    await program.ask('GET', `/v1/organizations/${name}/quotas`)
  }
}
