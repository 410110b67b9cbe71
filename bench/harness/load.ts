import { type Duration, millis, type World } from '@stead/world'
import { Latencies } from './latencies.ts'
import type { Sample } from './rounds.ts'

/** What a window of work gave: how many a second, and how long each waited. */
export const sampleOf = (elapsed: Duration, latencies: Latencies): Sample => ({
  rate: (latencies.count * 1_000) / elapsed,
  p50: latencies.percentile(50),
  p99: latencies.percentile(99),
})

export interface Busy {
  readonly workers: number
  readonly duration: Duration
}

/** Keeps that many workers busy, each waiting for its last piece of work before its next. */
export async function keepBusy(
  world: World,
  { workers, duration }: Busy,
  work: (worker: number, turn: number) => Promise<unknown>,
): Promise<Sample> {
  const latencies = new Latencies()
  const start = world.monotonic()
  const keepWorking = async (worker: number) => {
    for (let turn = 0; ; turn++) {
      const began = world.monotonic()
      if (began - start >= duration) return
      await work(worker, turn)
      latencies.record(world.monotonic() - began)
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => keepWorking(worker)))
  return sampleOf(millis(world.monotonic() - start), latencies)
}

export interface Pace {
  readonly perSecond: number
  readonly count: number
  /** The first of them open files and let the compiler see the code: nobody's latency. */
  readonly warmUp: number
}

/**
 * Does work at its times, whether or not the last is done. Times count from when a piece was due, not from when it was
 * begun: a stall delays all that were due during it, and measuring only the one that was under way would hide them
 * ("coordinated omission").
 */
export async function keepPace(
  world: World,
  { perSecond, count, warmUp }: Pace,
  work: (turn: number, due: number) => Promise<unknown>,
): Promise<Latencies> {
  const latencies = new Latencies()
  const start = world.monotonic()
  const workDue = async (turn: number, due: number) => {
    await work(turn, due)
    if (turn >= warmUp) latencies.record(world.monotonic() - due)
  }
  const underWay: Promise<void>[] = []
  while (underWay.length < count) {
    const due = start + (underWay.length * 1_000) / perSecond
    const early = due - world.monotonic()
    if (early > 0) await world.sleep(millis(early))
    else underWay.push(workDue(underWay.length, due))
  }
  await Promise.all(underWay)
  return latencies
}
