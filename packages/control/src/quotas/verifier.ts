import type { Logger, Metrics } from '@stead/engine'
import { type Duration, hours, millis } from '@stead/world'
import { describeDrift, findDrift, repairDrift, reportDrift, type VerifyOptions } from './verify.ts'

export interface VerifierOptions extends VerifyOptions {
  readonly metrics: Metrics
  readonly log: Logger
  readonly every?: Duration
}

/** Recounts now and then, and says so when something is wrong. Nothing ever should be. */
export class QuotaVerifier {
  readonly #options: VerifierOptions
  readonly #drift
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: VerifierOptions) {
    this.#options = options
    this.#drift = options.metrics.gauge(
      'stead_quota_drift',
      'Counters, limits and allocations of quotas found wrong when last recounted; anything but 0 is a bug',
    )
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Recounts once. What is wrong is shown, logged and told as events; set right only when that is asked for. */
  async verify({ repair = false } = {}) {
    const found = await findDrift(this.#options)
    this.#drift.set(found.length)
    for (const drift of found) this.#options.log.error({ drift }, `quotas are wrong: ${describeDrift(drift)}`)
    await reportDrift(this.#options, found)
    if (!repair || found.length === 0) return { found, isRepaired: false }
    await repairDrift(this.#options, found)
    this.#drift.set(0)
    return { found, isRepaired: true }
  }

  async #run(): Promise<void> {
    const { world, log, every = hours(1) } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // Nodes that started together do not all recount at once.
      await world.sleep(millis(every * (0.5 + world.random())), signal).catch(() => {})
      if (signal.aborted) return
      await this.verify().catch(error => log.warn({ error }, 'quotas could not be recounted; it will be tried again'))
    }
  }
}
