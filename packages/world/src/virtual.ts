import { Agenda } from './agenda.ts'
import type { Duration } from './duration.ts'
import { millis } from './duration.ts'
import { type Instant, instant } from './instant.ts'
import { SeededRandom } from './seeded-random.ts'
import { type Timeline, VirtualNode, type VirtualNodeOptions, wholeTicks } from './virtual-node.ts'
import type { Timer, World } from './world.ts'

interface Alarm {
  readonly node: VirtualNode
  readonly fire: () => void
}

export interface VirtualWorldOptions {
  readonly seed: number
  /** True time at the start. */
  readonly start?: Instant
}

const defaultStart = instant(1_750_000_000_000)

/**
 * A world whose clock moves only when nothing else can. Timers fire one at a time; everything that follows from one
 * (promises and their continuations) has settled before the next. Those due at the same moment fire in an order drawn
 * from the seed, so each seed is another interleaving, and the same seed is always the same one.
 *
 * The world itself is a World too: true time, for whoever stands outside the nodes.
 */
export class VirtualWorld implements World, Timeline {
  readonly seed: number
  /** For faults and choices of the simulation itself. Drawing from it moves no node's randomness. */
  readonly chance: SeededRandom
  readonly #alarms = new Agenda<Alarm>()
  readonly #ties: SeededRandom
  readonly #seeds: SeededRandom
  readonly #self: VirtualNode
  #time: number
  #leapt = 0
  #nodes = 0

  constructor(options: VirtualWorldOptions) {
    this.seed = options.seed
    this.#seeds = new SeededRandom(options.seed)
    this.#ties = this.#seeds.fork('ties')
    this.chance = this.#seeds.fork('chance')
    this.#time = options.start ?? defaultStart
    this.#self = this.node({ name: 'world' })
  }

  node(options: VirtualNodeOptions = {}): VirtualNode {
    const count = this.#nodes++
    const { name = `node-${count}`, skew = millis(0) } = options
    return new VirtualNode(this, this.#seeds.fork(`node/${count}`), { name, skew })
  }

  get time(): number {
    return this.#time
  }

  /** So much time passes in which nothing happens anywhere. What came due meanwhile comes then. */
  leap(length: Duration): void {
    this.#time += wholeTicks(length)
    this.#leapt += wholeTicks(length)
  }

  /** How much of the time that has passed was leapt over. */
  get leapt(): number {
    return this.#leapt
  }

  now(): Instant {
    return this.#self.now()
  }

  monotonic(): Duration {
    return this.#self.monotonic()
  }

  setTimer(delay: Duration, fire: () => void): Timer {
    return this.#self.setTimer(delay, fire)
  }

  sleep(delay: Duration, signal?: AbortSignal): Promise<void> {
    return this.#self.sleep(delay, signal)
  }

  random(): number {
    return this.#self.random()
  }

  randomBytes(length: number): Uint8Array {
    return this.#self.randomBytes(length)
  }

  schedule(delay: Duration, fire: () => void, node: VirtualNode): Timer {
    if (Number.isNaN(delay)) throw new RangeError(`cannot wait for ${delay}`)
    const due = this.#time + wholeTicks(Math.max(0, delay))
    const appointment = this.#alarms.add(due, { node, fire }, this.#ties.next())
    return { cancel: () => void this.#alarms.remove(appointment) }
  }

  forget(node: VirtualNode): void {
    this.#alarms.removeIf(alarm => alarm.node === node)
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#alarms.size
  }

  /** Lets everything that can go on without the clock go on. */
  drain(): Promise<void> {
    // The machine's own queue of microtasks is empty when an immediate runs. Nothing else here waits on the machine.
    return new Promise(resolve => setImmediate(resolve))
  }

  /** Moves the clock to the next timer, fires it and lets what follows settle. False when there is none by `until`. */
  async step(until = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (;;) {
      const next = this.#alarms.takeDue(until)
      if (!next) return false
      const { node, fire } = next.item
      if (node.stalledUntil > Math.max(next.due, this.#time)) {
        this.#alarms.add(node.stalledUntil, next.item, this.#ties.next())
        continue
      }
      this.#time = Math.max(this.#time, next.due)
      fire()
      await this.drain()
      return true
    }
  }

  /** Runs until no timer is set. A system that ticks for ever never gets there: it throws after `limit`. */
  async runUntilIdle(limit = millis(86_400_000)): Promise<void> {
    const end = this.#time + limit
    await this.drain()
    while (await this.step(end));
    if (this.#alarms.size > 0) throw new Error(`still not idle after ${limit} ms of virtual time (seed ${this.seed})`)
  }

  /** Runs everything due within this long; the clock ends exactly there. */
  async runFor(length: Duration): Promise<void> {
    const end = this.#time + wholeTicks(length)
    await this.drain()
    while (await this.step(end));
    this.#time = end
  }

  /** Runs until this holds, looking after every step. Throws when nothing is left to do or `limit` has passed. */
  async runUntil(holds: () => boolean, limit = millis(86_400_000)): Promise<void> {
    const end = this.#time + limit
    await this.drain()
    while (!holds()) {
      if (await this.step(end)) continue
      const why = this.#alarms.size > 0 ? `it did not come true within ${limit} ms` : 'nothing is left to do'
      throw new Error(`${why} (virtual time, seed ${this.seed}): ${holds}`)
    }
  }

  /** Runs until the promise settles, and answers it. */
  async run<T>(work: Promise<T> | (() => Promise<T>), limit?: Duration): Promise<T> {
    let settled = false
    const promise = typeof work === 'function' ? work() : work
    promise.then(
      () => (settled = true),
      () => (settled = true),
    )
    await this.runUntil(() => settled, limit)
    return promise
  }
}
