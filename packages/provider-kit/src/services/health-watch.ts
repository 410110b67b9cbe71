import { seconds, type World } from '@stead/world'
import type { HealthCheck } from '../launch-spec.ts'
import type { ServiceInfo } from '../server-info.ts'

export type Health = NonNullable<ServiceInfo['health']>

export interface HealthOptions {
  readonly world: World
  readonly checks: readonly HealthCheck[]
  /** What is wrong; undefined when nothing is. The signal ends it when it takes too long, or nobody asks any more. */
  ask(check: HealthCheck, signal: AbortSignal): Promise<string | undefined>
  onChange(): void
}

/** Runs the health checks of one life of a service, from its start until it is closed. */
export class HealthWatch {
  readonly #options: HealthOptions
  readonly #results: Health[]
  readonly #closing = new AbortController()
  #problem: string | undefined

  constructor(options: HealthOptions) {
    this.#options = options
    this.#results = options.checks.map(() => 'unknown')
    for (const [index, check] of options.checks.entries()) void this.#watch(check, index).catch(() => {})
  }

  /** Undefined when there are no checks. */
  get health(): Health | undefined {
    if (this.#results.length === 0) return undefined
    if (this.#results.includes('unhealthy')) return 'unhealthy'
    return this.#results.includes('unknown') ? 'unknown' : 'healthy'
  }

  get problem(): string | undefined {
    return this.#problem
  }

  close(): void {
    this.#closing.abort()
  }

  async #watch(check: HealthCheck, index: number): Promise<void> {
    const { world, onChange } = this.#options
    let [good, bad] = [0, 0]
    for (;;) {
      const problem = await this.#try(check)
      this.#closing.signal.throwIfAborted()
      good = problem === undefined ? good + 1 : 0
      bad = problem === undefined ? 0 : bad + 1
      const before = this.#results[index]
      if (good >= check.healthyThreshold) this.#results[index] = 'healthy'
      if (bad >= check.unhealthyThreshold) this.#results[index] = 'unhealthy'
      this.#problem = problem
      if (this.#results[index] !== before) onChange()
      // Many that were started together must not be asked together for ever.
      await world.sleep(seconds(check.intervalSeconds * (0.9 + 0.2 * world.random())), this.#closing.signal)
    }
  }

  /** What is wrong; undefined when nothing is. */
  async #try(check: HealthCheck): Promise<string | undefined> {
    const late = new AbortController()
    const timer = this.#options.world.setTimer(seconds(check.timeoutSeconds), () =>
      late.abort(new Error('no answer in time')),
    )
    try {
      return await this.#options.ask(check, AbortSignal.any([late.signal, this.#closing.signal]))
    } catch (error) {
      return (error as Error).message
    } finally {
      timer.cancel()
    }
  }
}
