import type { GaugeMetric, Metrics } from '@stead/engine'
import { seconds } from '@stead/world'
import { fail } from '../errors/index.ts'

export interface LoadLimits {
  /** Requests being answered at once. */
  readonly total: number
  /** Of those, one credential's. Below the total, so that one caller never keeps all others out. */
  readonly perCaller: number
}

/** What one caller holds now. */
interface Held {
  readonly credentialId: string
  count: number
}

/** How much of the server is in use. Too much is refused at once: what is let in is answered in time. */
export class Load {
  readonly #limits: LoadLimits
  readonly #perCaller = new Map<string, Held>()
  readonly #gauge: GaugeMetric
  #inside = 0
  readonly #emptied = Promise.withResolvers<void>()
  #isClosing = false

  constructor(limits: LoadLimits, metrics: Metrics) {
    this.#limits = limits
    this.#gauge = metrics.gauge('stead_http_requests_in_progress', 'Requests being answered now')
  }

  /** Takes a place. */
  enter(): Share {
    const retryAfter = seconds(1)
    if (this.#isClosing) throw fail('unavailable', 'the server is stopping', { retryAfter })
    if (this.#inside >= this.#limits.total) throw fail('unavailable', 'the server has too much to do', { retryAfter })
    this.#gauge.set(++this.#inside)
    return new Share(this)
  }

  /** From now on nobody is let in. Resolves when the last has left. */
  close(): Promise<void> {
    this.#isClosing = true
    if (this.#inside === 0) this.#emptied.resolve()
    return this.#emptied.promise
  }

  /** For shares: takes one of a caller's own places. */
  enterAs(credentialId: string): Held {
    const held = this.#perCaller.get(credentialId) ?? { credentialId, count: 0 }
    if (held.count >= this.#limits.perCaller)
      throw fail('rate_limited', `one caller may have ${this.#limits.perCaller} requests at once`, {
        retryAfter: seconds(1),
      })
    if (held.count++ === 0) this.#perCaller.set(credentialId, held)
    return held
  }

  /** For shares. */
  leave(held: Held | undefined): void {
    if (held && --held.count === 0) this.#perCaller.delete(held.credentialId)
    this.#gauge.set(--this.#inside)
    if (this.#isClosing && this.#inside === 0) this.#emptied.resolve()
  }
}

/** What one request holds of the server: an object and no closures, because every request has one. */
export class Share {
  readonly #load: Load
  #held: Held | undefined
  #isOver = false

  constructor(load: Load) {
    this.#load = load
  }

  /** Takes one of a caller's own places too. */
  takeAs(credentialId: string): void {
    this.#held = this.#load.enterAs(credentialId)
  }

  /** Gives back all of it; does no harm twice. */
  giveBack(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#load.leave(this.#held)
  }
}
