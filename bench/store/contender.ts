import type { Duration, World } from '@stead/world'
import { keepBusy } from '../harness/load.ts'
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

/** Writers that wait for promises. Each has places of its own in the population, so that none waits for another. */
export const keepWriting = (
  world: World,
  { writers, duration }: Load,
  write: (place: number) => Promise<unknown>,
  population = populationSize,
): Promise<Sample> => {
  const places = Math.floor(population / writers)
  return keepBusy(world, { workers: writers, duration }, (writer, turn) => write(writer + writers * (turn % places)))
}
