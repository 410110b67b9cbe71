import { millis, type VirtualNode, type VirtualWorld } from '@stead/world'
import type { Faults } from '../../faults.ts'
import { type MakeRequest, type Outside, OutsideError, type Thing } from './api.ts'
import type { OutsideFault } from './faults.ts'
import type { Things } from './things.ts'

/** Something a node did outside. */
export interface Effect {
  readonly node: VirtualNode
  readonly what: string
  /** Nobody waited for it any more. */
  readonly late: boolean
}

export interface FaultyOutsideOptions {
  readonly world: VirtualWorld
  readonly node: VirtualNode
  readonly things: Things
  readonly faults: Faults<OutsideFault>
  /** What happens when a fault says that the node dies here. */
  readonly die: (why: string) => void
  readonly tookEffect: (effect: Effect) => void
}

interface Call<T> {
  readonly what: string
  readonly signal: AbortSignal
  readonly perform: () => T
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** One node's way to the world outside: slow, forgetful, and not always telling what it did. */
export class FaultyOutside implements Outside {
  readonly #options: FaultyOutsideOptions

  constructor(options: FaultyOutsideOptions) {
    this.#options = options
  }

  make(request: MakeRequest, signal: AbortSignal): Promise<Thing> {
    return this.#call(`make ${request.token}`, signal, () => this.#options.things.make(request))
  }

  remove(token: string, signal: AbortSignal): Promise<void> {
    return this.#call(`remove ${token}`, signal, () => this.#options.things.remove(token))
  }

  find(token: string, signal: AbortSignal): Promise<Thing | undefined> {
    return this.#call(`find ${token}`, signal, () => this.#options.things.find(token))
  }

  list(signal: AbortSignal): Promise<readonly Thing[]> {
    const { world, things, faults } = this.#options
    const age = faults.strikes('outside-stale-list') ? faults.between('outside-stale-list', 500, 20_000) : 0
    return this.#call('list', signal, () => things.list(world.time - age))
  }

  #call<T>(what: string, signal: AbortSignal, perform: () => T): Promise<T> {
    const { faults, die } = this.#options
    if (faults.strikes('node-crash-before-outside-call')) die(`instead of ${what}`)
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      this.#send({ what, signal, perform, resolve, reject })
    })
  }

  /** Carries a call over: it arrives, or is turned away, or comes long after anybody waits for it. */
  #send<T>(call: Call<T>): void {
    const { world, node, faults } = this.#options
    if (!node.alive) return
    const turnAway = (error: OutsideError) => this.#reply(() => call.reject(error))
    if (faults.strikes('outside-throttled')) turnAway(new OutsideError('throttled', 'too many calls'))
    else if (faults.strikes('outside-error')) turnAway(new OutsideError('unavailable', 'something went wrong'))
    else if (faults.strikes('outside-late-effect'))
      world.setTimer(millis(faults.between('outside-late-effect', 6_000, 40_000)), () => this.#arrive(call, true))
    else {
      const delay = faults.strikes('outside-slow') ? faults.between('outside-slow', 1_000, 10_000) : this.#latency()
      world.setTimer(millis(delay), () => {
        // Whoever gave up has closed the connection. One that stands still, or is dead, has not.
        if (!call.signal.aborted) this.#arrive(call, false)
      })
    }
  }

  #arrive<T>({ what, perform, resolve, reject }: Call<T>, late: boolean): void {
    const { node, faults, die, tookEffect } = this.#options
    try {
      const value = perform()
      tookEffect({ node, what, late })
      if (faults.strikes('node-crash-after-outside-call')) die(`after ${what}`)
      if (!faults.strikes('outside-reply-lost')) this.#reply(() => resolve(value))
    } catch (error) {
      this.#reply(() => reject(error))
    }
  }

  #reply(hear: () => void): void {
    this.#options.node.setTimer(millis(this.#latency()), hear)
  }

  #latency(): number {
    return 5 + 100 * this.#options.world.chance.next()
  }
}
