import { createHash } from 'node:crypto'
import type { VirtualWorld } from '@stead/world'

/** Everything that happened in a run, in order. Two runs of one seed have the same hash, or the simulation is broken. */
export class Trace {
  readonly #world: VirtualWorld
  readonly #start: number
  readonly #print: ((line: string) => void) | undefined
  readonly #hash = createHash('sha256')
  #lines = 0

  constructor(world: VirtualWorld, print?: (line: string) => void) {
    this.#world = world
    this.#start = world.time
    this.#print = print
  }

  get lines(): number {
    return this.#lines
  }

  add(who: string, what: string): void {
    const line = `${((this.#world.time - this.#start) / 1_000).toFixed(6).padStart(12)} ${who.padEnd(10)} ${what}`
    this.#lines++
    this.#hash.update(line).update('\n')
    this.#print?.(line)
  }

  hash(): string {
    return this.#hash.copy().digest('hex')
  }
}
