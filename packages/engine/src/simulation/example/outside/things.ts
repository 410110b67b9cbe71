import type { MakeRequest, Thing } from './api.ts'
import { OutsideError } from './api.ts'

interface KnownThing extends Omit<Thing, 'state'> {
  readonly madeAt: number
  diedAt: number
  goneAt: number
}

/** The world outside, as it really is. It remembers every token it ever saw, and how things were at any moment. */
export class Things {
  readonly #known = new Map<string, KnownThing>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  make({ token, widgetId, color }: MakeRequest): Thing {
    if (color === 'plaid') throw new OutsideError('invalid', 'nothing can be painted plaid')
    let thing = this.#known.get(token)
    if (!thing) {
      const never = Number.POSITIVE_INFINITY
      thing = { token, widgetId, color, madeAt: this.#now(), diedAt: never, goneAt: never }
      this.#known.set(token, thing)
    }
    return seen(thing, this.#now())
  }

  remove(token: string): void {
    const thing = this.#known.get(token)
    if (thing) thing.goneAt = Math.min(thing.goneAt, this.#now())
  }

  find(token: string): Thing | undefined {
    return this.list().find(thing => thing.token === token)
  }

  /** How it was at this moment. */
  list(at = this.#now()): readonly Thing[] {
    return [...this.#known.values()]
      .filter(({ madeAt, goneAt }) => madeAt <= at && at < goneAt)
      .map(thing => seen(thing, at))
  }

  /** It breaks, and stays where it is. */
  die(token: string): void {
    const thing = this.#known.get(token)
    if (thing) thing.diedAt = Math.min(thing.diedAt, this.#now())
  }
}

/** A thing that is gone and is made again by the same token is not alive again. */
const seen = ({ token, widgetId, color, diedAt, goneAt }: KnownThing, at: number): Thing => ({
  token,
  widgetId,
  color,
  state: at < diedAt && at < goneAt ? 'live' : 'dead',
})
