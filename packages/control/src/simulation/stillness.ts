import type { Stage } from '@stead/engine/simulation'
import { type Duration, seconds } from '@stead/world'

/** Longer than any simulated cloud shows an older picture, with the look that finds it out. */
const longEnough: Duration = seconds(6)

/**
 * Whether nothing has been written for a while. Wall clocks of nodes may disagree by more than a cloud's pictures are old: an
 * old one is then believed until the next look. Only what outlasts that has come to rest.
 */
export class Stillness {
  readonly #stage: Pick<Stage<never>, 'ledger' | 'world'>
  #head = -1
  #since = 0

  constructor(stage: Pick<Stage<never>, 'ledger' | 'world'>) {
    this.#stage = stage
  }

  get isStill(): boolean {
    const { ledger, world } = this.#stage
    if (ledger.head !== this.#head) {
      this.#head = ledger.head
      this.#since = world.time
    }
    return world.time - this.#since >= longEnough
  }
}
