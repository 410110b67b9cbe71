import { SeededRandom } from '@stead/world'

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Everything that is drawn in a run: the same seed draws the same. */
export class Chance {
  readonly #random: SeededRandom

  constructor(seed: string) {
    this.#random = new SeededRandom(seed)
  }

  /** True in this share of cases. */
  odds(share: number): boolean {
    return this.#random.next() < share
  }

  below(below: number): number {
    return this.#random.below(below)
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error('there is nothing to pick from')
    return from[this.#random.below(from.length)]!
  }

  /** One of those that came last, more often than one of long ago, which is likely gone. */
  recent<T>(from: readonly T[]): T {
    return this.odds(0.7) ? this.pick(from.slice(-5)) : this.pick(from)
  }

  /** `[3, a], [1, b]`: a three times as often as b. */
  weighted<T>(...choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.#random.next() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, choice] of choices) {
      left -= weight
      if (left < 0) return choice
    }
    return choices.at(-1)![1]
  }

  word(length = 12): string {
    return Array.from({ length }, () => letters[this.#random.below(letters.length)]).join('')
  }
}
