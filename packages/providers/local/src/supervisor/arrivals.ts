import { millis, type World } from '@stead/world'

interface Waiting {
  /** Whether there is nothing to wait for any more. */
  readonly isOver: () => boolean
  readonly resolve: () => void
}

const pause = millis(1)

/**
 * Waits for what the kernel tells nobody: that a command has come to be inside its sandbox. It looks every millisecond, at
 * the first that is waited for and at one more, since they arrive about in turn. A look takes 0.1 ms: at each of a hundred
 * that would take longer than to start them.
 */
export class Arrivals {
  readonly #world: World
  readonly #waiting: Waiting[] = []
  #turn = 0
  #isLooking = false

  constructor(world: World) {
    this.#world = world
  }

  /** Resolves soon after it is so. */
  until(isOver: () => boolean): Promise<void> {
    if (isOver()) return Promise.resolve()
    return new Promise(resolve => {
      this.#waiting.push({ isOver, resolve })
      if (!this.#isLooking) void this.#look()
    })
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#waiting.length > 0) {
      await this.#world.sleep(pause)
      this.#lookOnce()
    }
    this.#isLooking = false
  }

  /** From the first on as long as they have arrived, and at one of the others: one that never does holds up nobody. */
  #lookOnce(): void {
    while (this.#waiting.length > 0 && this.#take(0));
    if (this.#waiting.length > 1) this.#take(1 + (this.#turn++ % (this.#waiting.length - 1)))
  }

  #take(place: number): boolean {
    const { isOver, resolve } = this.#waiting[place]!
    if (!isOver()) return false
    this.#waiting.splice(place, 1)
    resolve()
    return true
  }
}
