import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Duration, World } from '@stead/world'
import type { Chapter } from './chapter.ts'
import { perSecond } from './format.ts'
import type { Sample } from './rounds.ts'
import { median } from './statistics.ts'

const name = 'fdatasync'

/** How often the disk can promise durability: what every write that waits alone is bound by. */
export const diskChapter = (world: World, directory: string, duration: Duration): Chapter => ({
  measurements: [{ name, run: async () => measure(world, join(directory, 'sync-rate'), duration) }],
  conclude(samples) {
    const rates = samples.of(name, 'rate')
    const row = [median(rates), Math.min(...rates), Math.max(...rates)].map(perSecond)
    const columns = ['', 'median', 'slowest round', 'fastest round']
    return {
      tables: [{ title: 'The disk', columns, rows: [['4 KB written, then fdatasync', ...row]] }],
      floors: [],
      losses: [],
    }
  },
})

function measure(world: World, path: string, duration: Duration): Sample {
  const file = openSync(path, 'w')
  const page = Buffer.alloc(4_096, 1)
  const start = world.monotonic()
  let syncs = 0
  do {
    writeSync(file, page)
    fdatasyncSync(file)
    syncs++
  } while (world.monotonic() - start < duration)
  const rate = (syncs * 1_000) / (world.monotonic() - start)
  closeSync(file)
  rmSync(path)
  return { rate }
}
