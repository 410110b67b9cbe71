import { readFileSync } from 'node:fs'
import type { World } from '@stead/world'
import type { Measurement, Sample } from './rounds.ts'

/** Where this was taken of a core, much of what is seen tells of the host: it is measured again. */
const mostStolen = 0.05

/** Which part of a core the host kept from this machine meanwhile, is in each sample under this name. */
export const stolen = 'stolen'

/**
 * The same, and again where the host of a virtual machine took its processors away meanwhile: of several tries, the one that was
 * disturbed the least counts, whatever it says.
 */
export const undisturbed = (
  world: World,
  { name, run }: Measurement,
  { tries = 3, secondsStolen = readStolen }: { readonly tries?: number; readonly secondsStolen?: () => number } = {},
): Measurement => ({
  name,
  async run() {
    let best: Sample | undefined
    for (let left = tries; left > 0; left--) {
      const before = { seconds: secondsStolen(), at: world.monotonic() }
      const sample = await run()
      const share = ((secondsStolen() - before.seconds) * 1_000) / (world.monotonic() - before.at)
      if (best === undefined || share < best[stolen]!) best = { ...sample, [stolen]: share }
      if (share <= mostStolen) break
    }
    return best!
  },
})

/** As the kernel counts it, in seconds since the machine was started; 0 where it does not say. */
export function readStolen(): number {
  try {
    const [processors = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const ticks = Number(processors.trim().split(/\s+/)[8])
    return Number.isFinite(ticks) ? ticks / 100 : 0
  } catch {
    return 0
  }
}
