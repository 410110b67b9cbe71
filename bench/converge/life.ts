import { type Duration, millis, type World } from '@stead/world'
import type { Measurement, Sample } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { median } from '../harness/statistics.ts'
import { stolen, undisturbed } from '../harness/undisturbed.ts'
import { type Cost, Estate } from './estate.ts'

export interface LifeOptions {
  readonly size: number
  /** So many come and go first, so that a small number is not measured with everything still to be compiled. */
  readonly warmUp: number
  /** Whether they come up again where the host of a virtual machine took its processors away meanwhile. */
  readonly undisturbed: boolean
  /** How long it is left alone before it counts as settled, with nothing in it and with all, and how long it is then watched. */
  readonly emptySettling: Duration
  readonly settling: Duration
  readonly watched: Duration
  /** Servers that die, one after the other, and how often all of that is done. */
  readonly deaths: number
  readonly deathRounds: number
  /** How often it is started on all of them. */
  readonly starts: number
  /** Few instances, on a Stead of their own: what one death costs there is measured in turns with what it costs here. */
  readonly beside: Estate
}

export const lifeOf = (size: number): string => `life of ${size}`

/** Instances from nothing to running, left alone, seen through deaths and a restart, and back to nothing. */
export const life = (world: World, scratch: Scratch, options: LifeOptions): Measurement => ({
  name: lifeOf(options.size),
  async run() {
    const { size, warmUp, emptySettling, settling, watched } = options
    const estate = await Estate.open(world, scratch)
    await estate.restart()
    await estate.idle(emptySettling)
    const empty = await estate.residentBytes()
    await estate.up(warmUp)
    const coming = { name: 'up', run: () => anew(estate, size) }
    const up = await undisturbed(world, coming, { tries: options.undisturbed ? 3 : 1 }).run()
    await estate.idle(settling)
    const rest = await estate.idle(watched)
    const deaths = await inTurnsWith(estate, options)
    const start = await typicalStart(estate, options.starts)
    await estate.idle(settling)
    const resident = await estate.residentBytes()
    const restAfterwards = await estate.idle(watched)
    const down = await estate.down()
    await estate.close()
    return {
      ...each('up', up as Sample & Cost, size),
      upStolen: up[stolen]!,
      ...each('down', down, size),
      idleShare: rest.processor / rest.elapsed,
      idleEntries: rest.logEntries + restAfterwards.logEntries,
      restartedShare: restAfterwards.processor / restAfterwards.elapsed,
      start,
      memory: (resident - empty) / size,
      ...deaths,
    }
  },
})

/** From nothing, whatever there was before. */
async function anew(estate: Estate, size: number): Promise<Sample> {
  await estate.down()
  return { ...(await estate.up(size)) }
}

/** How long `stead serve` takes to listen. */
async function typicalStart(estate: Estate, starts: number): Promise<number> {
  const took: number[] = []
  while (took.length < starts) {
    await estate.restart()
    took.push(estate.readyAfter)
  }
  return median(took)
}

const each = (way: 'up' | 'down', { elapsed, processor, logEntries }: Cost, size: number): Sample => ({
  [`${way}Elapsed`]: elapsed,
  [`${way}Processor`]: processor / size,
  [`${way}Entries`]: logEntries / size,
})

/** What the death of one server costs until its tenant sees it, here and where there are few. */
async function inTurnsWith(estate: Estate, { deaths, deathRounds, beside }: LifeOptions): Promise<Sample> {
  const rounds = { here: [] as Cost[], there: [] as Cost[] }
  for (let round = 0; round < deathRounds; round++)
    for (const [where, one] of [['here', estate] as const, ['there', beside] as const]) {
      const count = Math.min(deaths, one.size)
      const { elapsed, processor, logEntries } = await one.costOf(() => one.crash(count))
      rounds[where].push({ elapsed: elapsed / count, processor: processor / count, logEntries: logEntries / count })
      await one.mend(count)
    }
  const typical = (costs: readonly Cost[], field: keyof Cost) => median(costs.map(cost => cost[field]))
  return {
    deathProcessor: typical(rounds.here, 'processor'),
    deathProcessorBeside: typical(rounds.there, 'processor'),
    deathElapsed: typical(rounds.here, 'elapsed'),
    deathElapsedBeside: typical(rounds.there, 'elapsed'),
    deathEntries: typical(rounds.here, 'logEntries'),
  }
}

/**
 * Enough of everything that a number says something. Settled is what has given memory back, too: that is work of the burst
 * before.
 */
export const fullLife = {
  ...{ warmUp: 1_000, undisturbed: true },
  ...{ emptySettling: millis(30_000), settling: millis(30_000), watched: millis(20_000) },
  ...{ deaths: 50, deathRounds: 15, starts: 5 },
}
export const quickLife = {
  ...{ warmUp: 500, undisturbed: false },
  ...{ emptySettling: millis(20_000), settling: millis(20_000), watched: millis(10_000) },
  ...{ deaths: 50, deathRounds: 3, starts: 1 },
}
