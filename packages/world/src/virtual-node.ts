import { type Duration, millis } from './duration.ts'
import { type Instant, instant } from './instant.ts'
import type { SeededRandom } from './seeded-random.ts'
import { sleepOn } from './sleep.ts'
import type { Timer, World } from './world.ts'

/** The clock moves in whole ticks of 1/1024 ms, so that sums of times are exact and a timer never fires before its time. */
export const wholeTicks = (length: number): number => Math.ceil(length * 1_024) / 1_024

/** What a node needs of the virtual world it lives in. */
export interface Timeline {
  /** True time, in milliseconds since the epoch. Fractions are allowed. */
  readonly time: number
  schedule(delay: Duration, fire: () => void, node: VirtualNode): Timer
  /** Crosses off everything this node waits for. */
  forget(node: VirtualNode): void
}

export interface VirtualNodeOptions {
  readonly name?: string
  /** How far its wall clock is ahead of true time; negative when behind. */
  readonly skew?: Duration
}

/**
 * One machine in a virtual world: its own wall clock, monotonic clock, randomness and timers. It can stall or die.
 *
 * Only time stops for it: an answer from outside reaches its code for as long as someone delivers one. Whoever simulates
 * the outside hands every answer over through the node's own `sleep` or `setTimer`, and then a dead node hears nothing.
 */
export class VirtualNode implements World {
  readonly name: string
  /** May be changed while it runs: a wall clock that is stepped. */
  skew: Duration
  readonly #timeline: Timeline
  readonly #random: SeededRandom
  readonly #monotonicStart: number
  #alive = true
  #stalledUntil = Number.NEGATIVE_INFINITY

  constructor(timeline: Timeline, random: SeededRandom, options: Required<VirtualNodeOptions>) {
    this.name = options.name
    this.skew = options.skew
    this.#timeline = timeline
    this.#random = random
    // Monotonic clocks of two machines have nothing to do with each other: code that compares them must fail here.
    this.#monotonicStart = timeline.time - wholeTicks(random.next() * 1_000_000)
  }

  now(): Instant {
    return instant(Math.floor(this.#timeline.time + this.skew))
  }

  monotonic(): Duration {
    return millis(this.#timeline.time - this.#monotonicStart)
  }

  setTimer(delay: Duration, fire: () => void): Timer {
    return this.#alive ? this.#timeline.schedule(delay, fire, this) : { cancel() {} }
  }

  sleep(delay: Duration, signal?: AbortSignal): Promise<void> {
    return sleepOn((length, fire) => this.setTimer(length, fire))(delay, signal)
  }

  random(): number {
    return this.#random.next()
  }

  randomBytes(length: number): Uint8Array {
    return this.#random.bytes(length)
  }

  get alive(): boolean {
    return this.#alive
  }

  /** It stops here: no timer of it fires and no sleep ends any more. */
  kill(): void {
    this.#alive = false
    this.#timeline.forget(this)
  }

  /** It does nothing for this long, then everything that came due meanwhile fires: a full garbage collection, a paused VM. */
  stall(length: Duration): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, this.#timeline.time + wholeTicks(length))
  }

  get stalledUntil(): number {
    return this.#stalledUntil
  }
}
