import { type Duration, millis, type World } from '@stead/world'
import { Latencies } from '../harness/latencies.ts'
import type { Sample } from '../harness/rounds.ts'
import { type Operation, populationSize } from './workload.ts'

export interface Load {
  readonly operation: Operation
  readonly writers: number
  readonly duration: Duration
}

/** How many writes a contender said are durable: afterwards it must hold exactly these. */
export interface Acknowledged {
  puts: number
  creates: number
}

/** One way of making writes durable. */
export interface Contender {
  readonly name: string
  readonly operations: readonly Operation[]
  readonly acknowledged: Acknowledged
  /** Keeps that many writers busy, each waiting until its write is durable before its next. */
  write(load: Load): Promise<Sample>
  close(): Promise<void>
}

/** What a window of writes gave: how many a second, and how long each waited. */
export const sampleOf = (elapsed: Duration, latencies: Latencies): Sample => ({
  rate: (latencies.count * 1_000) / elapsed,
  p50: latencies.percentile(50),
  p99: latencies.percentile(99),
})

/** Writers that wait for promises. Each has places of its own in the population, so that none waits for another. */
export async function keepBusy(
  world: World,
  { writers, duration }: Load,
  write: (place: number) => Promise<unknown>,
): Promise<Sample> {
  const latencies = new Latencies()
  const start = world.monotonic()
  const keepWriting = async (writer: number) => {
    for (let place = writer; ; place = (place + writers) % populationSize) {
      const began = world.monotonic()
      if (began - start >= duration) return
      await write(place)
      latencies.record(world.monotonic() - began)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => keepWriting(writer)))
  return sampleOf(millis(world.monotonic() - start), latencies)
}
