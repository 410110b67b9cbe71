import { type Duration, millis, type VirtualNode, type VirtualWorld } from '@stead/world'
import { UnavailableError } from '../words/errors.ts'
import type { DatabaseAnswer, DatabaseRequest, SimulatedDatabase } from './database.ts'
import type { EngineFault } from './engine-faults.ts'
import type { Faults } from './faults.ts'

export interface LinkOptions {
  readonly world: VirtualWorld
  /** Answers reach the node through its own timers: one that stands still hears them late, a dead one never. */
  readonly node: VirtualNode
  readonly database: SimulatedDatabase
  readonly faults: Faults<EngineFault>
}

/** The network between one node and the database. What is under way when a node dies still arrives. */
export class Link {
  readonly #options: LinkOptions
  #cutUntil = Number.NEGATIVE_INFINITY

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Nothing passes for this long, in either direction. */
  cut(length: Duration): void {
    this.#cutUntil = Math.max(this.#cutUntil, this.#options.world.time + length)
  }

  heal(): void {
    this.#cutUntil = Number.NEGATIVE_INFINITY
  }

  get isCut(): boolean {
    return this.#options.world.time < this.#cutUntil
  }

  /** Asks the database and waits this long for its answer. */
  ask(request: DatabaseRequest, timeout: Duration): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { node } = this.#options
      const deadline = node.setTimer(timeout, () => reject(new UnavailableError(`no answer within ${timeout} ms`)))
      this.#send(request, answer => {
        deadline.cancel()
        if ('value' in answer) resolve(answer.value)
        else reject(new UnavailableError(answer.refused))
      })
    })
  }

  /** A word from the database to the node that nobody waits for. */
  hint(tell: () => void): void {
    const { faults, node } = this.#options
    if (faults.strikes('hint-lost')) return
    node.setTimer(this.#latency(), () => {
      if (!this.isCut) tell()
    })
  }

  #send(request: DatabaseRequest, hear: (answer: DatabaseAnswer) => void): void {
    const { world, node, database, faults } = this.#options
    if (!node.alive || faults.strikes('request-lost')) return
    const pause = request.type === 'commit' ? this.#pause('node-pause-at-commit') : 0
    const twice = faults.strikes('request-duplicated')
    // Whoever sends a thing twice says so: see `Sending.resent`.
    const sent = twice && request.type === 'commit' ? { ...request, resent: true } : request
    const arrive = () => {
      if (!this.isCut) database.receive(sent, answer => this.#answer(request, answer, hear))
    }
    const delay = faults.strikes('request-delayed') ? faults.between('request-delayed', 2_000, 30_000) : 0
    world.setTimer(millis(pause + delay + this.#latency()), arrive)
    if (twice) world.setTimer(millis(pause + this.#latency() + faults.between('request-duplicated', 0, 5_000)), arrive)
  }

  #answer(request: DatabaseRequest, answer: DatabaseAnswer, hear: (answer: DatabaseAnswer) => void): void {
    const { node, faults } = this.#options
    if (faults.strikes('answer-lost')) return
    if (request.type === 'lease') this.#pause('node-pause-at-lease')
    const delay = faults.strikes('answer-delayed') ? faults.between('answer-delayed', 200, 4_000) : 0
    node.setTimer(millis(delay + this.#latency()), () => {
      if (!this.isCut) hear(answer)
    })
  }

  /** The process stops here, whatever it was about to do, and goes on later as if nothing had been. */
  #pause(name: 'node-pause-at-commit' | 'node-pause-at-lease'): number {
    const { node, faults } = this.#options
    if (!faults.strikes(name)) return 0
    // Mostly short: a lease that is nearly over is worse than one that is long gone.
    const length = faults.between(name, 20, 170) ** 2
    node.stall(millis(length))
    return length
  }

  /** Most answers are quick, some are not: a long tail is what makes two messages overtake each other. */
  #latency(): Duration {
    const draw = this.#options.world.chance.next()
    return millis(0.2 + 0.5 * draw + 30 * draw ** 20)
  }
}
