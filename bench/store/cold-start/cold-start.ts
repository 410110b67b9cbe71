import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { World } from '@stead/world'
import type { Chapter } from '../../harness/chapter.ts'
import { count, kilobytes, megabytes, milliseconds } from '../../harness/format.ts'
import { atMost, type Table } from '../../harness/report.ts'
import type { Sample, Samples } from '../../harness/rounds.ts'
import type { Scratch } from '../../harness/scratch.ts'
import { median } from '../../harness/statistics.ts'
import type { Place } from '../place.ts'
import type { ColdStartMessage } from './process.ts'

const program = fileURLToPath(new URL('process.ts', import.meta.url))
/** The one `stead` uses, so that reading TypeScript costs here what it costs there. */
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/stead', import.meta.url))

export interface FilledPlace {
  readonly place: Place
  readonly objects: number
}

export interface ColdStarts {
  /** An empty one among them: what the others' memory is counted from. */
  readonly places: readonly FilledPlace[]
  /** Milliseconds within which a process on `objects` must be ready. */
  readonly bar: { readonly objects: number; readonly ready: number }
}

/**
 * A new process on an existing store: how long until it can answer reads, counted from before the process exists, and
 * what it weighs then. The files are in the page cache, as they are after a restart of the program and not of the machine.
 */
export const coldStartChapter = (world: World, scratch: Scratch, { places, bar }: ColdStarts): Chapter => ({
  measurements: places.map(filled => ({ name: nameOf(filled.objects), run: () => measure(world, scratch, filled) })),
  conclude(samples) {
    const sizes = places.map(({ objects }) => objects)
    const ready = median(samples.of(nameOf(bar.objects), 'ready'))
    return {
      tables: [timeTable(sizes, samples), memoryTable(sizes, samples)],
      floors: [atMost({ name: nameOf(bar.objects), value: ready, bar: bar.ready, show: milliseconds })],
      losses: [],
    }
  },
})

const nameOf = (objects: number): string => `restart with ${count(objects)} objects`

async function measure(world: World, scratch: Scratch, { place, objects }: FilledPlace): Promise<Sample> {
  const began = world.monotonic()
  const child = scratch.adopt(
    spawn(process.execPath, ['--expose-gc', program, JSON.stringify(place)], {
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
  const sample: Record<string, number> = {}
  child.on('message', ({ type, ...numbers }: ColdStartMessage) => {
    if (type === 'ready') sample.ready = world.monotonic() - began
    Object.assign(sample, numbers)
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`a cold start ended with ${code}`)
  if (sample.objects !== objects) throw new Error(`a cold start found ${sample.objects} objects of ${objects}`)
  return sample
}

const timeTable = (sizes: readonly number[], samples: Samples): Table => ({
  title: 'Restart: a new process until it can answer',
  columns: ['objects', 'median', 'slowest round', 'of it: open', 'of it: load'],
  rows: sizes.map(objects => {
    const of = (field: string) => samples.of(nameOf(objects), field)
    const times = [median(of('ready')), Math.max(...of('ready')), median(of('open')), median(of('load'))]
    return [count(objects), ...times.map(milliseconds)]
  }),
  note: 'Counted from before the process exists: what open and load leave is the start of Node itself.',
})

function memoryTable(sizes: readonly number[], samples: Samples): Table {
  const weight = (objects: number, field: string) => median(samples.of(nameOf(objects), field))
  const each = (objects: number, field: string) =>
    objects === 0 ? '' : kilobytes((weight(objects, field) - weight(0, field)) / objects)
  return {
    title: 'Memory of that process, everything loaded, after a collection',
    columns: ['objects', 'resident', 'heap', 'resident per object', 'heap per object'],
    rows: sizes.map(objects => [
      count(objects),
      megabytes(weight(objects, 'resident')),
      megabytes(weight(objects, 'heap')),
      each(objects, 'resident'),
      each(objects, 'heap'),
    ]),
  }
}
