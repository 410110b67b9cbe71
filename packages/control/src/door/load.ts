import type { GaugeMetric, Metrics } from '@stead/engine'
import { seconds } from '@stead/world'
import { fail } from '../errors/index.ts'

export interface LoadLimits {
  /** Requests being answered at once. */
  readonly total: number
  /** Of those, one credential's. Below the total, so that one caller never keeps all others out. */
  readonly perCaller: number
}

/** How much of the server is in use. Too much is refused at once: what is let in is answered in time. */
export class Load {
  readonly #limits: LoadLimits
  readonly #perCaller = new Map<string, number>()
  readonly #gauge: GaugeMetric
  #inside = 0
  readonly #emptied = Promise.withResolvers<void>()
  #isClosing = false

  constructor(limits: LoadLimits, metrics: Metrics) {
    this.#limits = limits
    this.#gauge = metrics.gauge('stead_http_requests_in_progress', 'Requests being answered now')
  }

  /** Takes a place; answers how to give it back, which does no harm twice. */
  enter(): () => void {
    const retryAfter = seconds(1)
    if (this.#isClosing) throw fail('unavailable', 'the server is stopping', { retryAfter })
    if (this.#inside >= this.#limits.total) throw fail('unavailable', 'the server has too much to do', { retryAfter })
    this.#gauge.set(++this.#inside)
    return once(() => {
      this.#gauge.set(--this.#inside)
      if (this.#isClosing && this.#inside === 0) this.#emptied.resolve()
    })
  }

  /** Takes one of a caller's own places. */
  enterAs(credentialId: string): () => void {
    const held = this.#perCaller.get(credentialId) ?? 0
    if (held >= this.#limits.perCaller)
      throw fail('rate_limited', `one caller may have ${this.#limits.perCaller} requests at once`, {
        retryAfter: seconds(1),
      })
    this.#perCaller.set(credentialId, held + 1)
    return once(() => {
      const left = this.#perCaller.get(credentialId)! - 1
      if (left > 0) this.#perCaller.set(credentialId, left)
      else this.#perCaller.delete(credentialId)
    })
  }

  /** From now on nobody is let in. Resolves when the last has left. */
  close(): Promise<void> {
    this.#isClosing = true
    if (this.#inside === 0) this.#emptied.resolve()
    return this.#emptied.promise
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}
