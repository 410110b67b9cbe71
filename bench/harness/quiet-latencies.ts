import { Latencies } from './latencies.ts'
import { readStolen } from './undisturbed.ts'

const momentMilliseconds = 250
/** Of so many, one must have been recorded in quiet. */
const fewest = 4

/**
 * Durations of the moments in which the host of this virtual machine took nothing from it: what waited for the host tells
 * nothing of the program. The moment after a disturbed one counts as disturbed too, since what waited in one is done in the
 * next. Where few are quiet, all count.
 */
export class QuietLatencies {
  readonly #secondsStolen: () => number
  readonly #timer: NodeJS.Timeout
  readonly #moment = new Latencies()
  readonly #quiet = new Latencies()
  readonly #disturbed = new Latencies()
  #stolenBefore: number
  #wasQuiet = true

  constructor(secondsStolen: () => number = readStolen) {
    this.#secondsStolen = secondsStolen
    this.#stolenBefore = secondsStolen()
    this.#timer = setInterval(() => this.endMoment(), momentMilliseconds)
  }

  /** In milliseconds. */
  record(milliseconds: number): void {
    this.#moment.record(milliseconds)
  }

  endMoment(): void {
    const stolen = this.#secondsStolen()
    const isQuiet = stolen === this.#stolenBefore
    const kept = isQuiet && this.#wasQuiet ? this.#quiet : this.#disturbed
    kept.drain(this.#moment)
    this.#stolenBefore = stolen
    this.#wasQuiet = isQuiet
  }

  /** What counts. Nothing is recorded any more. */
  end(): Latencies {
    clearInterval(this.#timer)
    this.endMoment()
    const all = this.#quiet.count + this.#disturbed.count
    if (this.#quiet.count * fewest < all) this.#quiet.drain(this.#disturbed)
    return this.#quiet
  }
}
