import { type Duration, millis, type Timer, type World } from '@stead/world'

export interface Rate {
  readonly perSecond: number
  /** How many may go at once after a pause. */
  readonly burst: number
}

interface Waiter {
  readonly go: () => void
}

/** A token bucket: keeps a caller below the rate a backend grants, instead of being told off by it. First come, first served. */
export class Throttle {
  readonly #world: World
  readonly #rate: Rate
  readonly #waiting = new Set<Waiter>()
  #tokens: number
  #filledAt: Duration
  #timer: Timer | undefined

  constructor(world: World, rate: Rate) {
    if (!(rate.perSecond > 0 && rate.burst >= 1)) throw new RangeError('a rate lets at least something through')
    this.#world = world
    this.#rate = rate
    this.#tokens = rate.burst
    this.#filledAt = world.monotonic()
  }

  /** Waits for a turn. A caller that gives up takes none away from the others. */
  take(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.#waiting.size === 0 && this.tryTake() === 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(waiter)
        reject(signal!.reason)
      }
      const waiter: Waiter = {
        go() {
          signal?.removeEventListener('abort', stop)
          resolve()
        },
      }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', stop, { once: true })
      this.#arm()
    })
  }

  /** Takes a turn if there is one, and answers 0; otherwise how long until there is. */
  tryTake(): Duration {
    this.#fill()
    // Adding up fractions of a token may end a hair below one: a hair is not worth a wait.
    if (this.#tokens < 1 - 1e-9) return this.#untilNext()
    this.#tokens -= 1
    return millis(0)
  }

  #fill(): void {
    const now = this.#world.monotonic()
    const gained = ((now - this.#filledAt) / 1_000) * this.#rate.perSecond
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained)
    this.#filledAt = now
  }

  /** Whole milliseconds, rounded up: a timer that fires a fraction early would find no token and be set for ever again. */
  #untilNext(): Duration {
    return millis(Math.max(0, Math.ceil(((1 - this.#tokens) / this.#rate.perSecond) * 1_000)))
  }

  #arm(): void {
    if (this.#timer || this.#waiting.size === 0) return
    this.#fill()
    this.#timer = this.#world.setTimer(this.#untilNext(), () => {
      this.#timer = undefined
      for (const waiter of this.#waiting) {
        if (this.tryTake() > 0) break
        this.#waiting.delete(waiter)
        waiter.go()
      }
      this.#arm()
    })
  }
}
