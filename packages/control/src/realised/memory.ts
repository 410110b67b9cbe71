import { type Duration, millis } from '@stead/world'

/** What was first so at some moment: looked for by id, looked for by tags, waited for, changed. */
type Mark = 'described' | 'searched' | 'waiting' | 'updated'

interface Remembered {
  readonly marks: Map<Mark, Duration>
  failures: number
}

/**
 * What one process knows of the objects it works on. Losing it costs time and nothing else: waits begin anew. Kept by the
 * monotonic clock, because wall clocks of two nodes may be minutes apart.
 */
export class Memory {
  readonly #objects = new Map<string, Remembered>()

  /** How long ago this was first so; it is so from now on. */
  since(id: string, mark: Mark, now: Duration): Duration {
    const { marks } = this.#of(id)
    const first = marks.get(mark)
    if (first === undefined) marks.set(mark, now)
    return millis(now - (first ?? now))
  }

  /** How long ago this was first so, if it was. */
  age(id: string, mark: Mark, now: Duration): Duration | undefined {
    const first = this.#objects.get(id)?.marks.get(mark)
    return first === undefined ? undefined : millis(now - first)
  }

  clear(id: string, mark: Mark): void {
    this.#objects.get(id)?.marks.delete(mark)
  }

  /** One more failure in a row; answers how many there are. */
  failed(id: string): number {
    return ++this.#of(id).failures
  }

  succeeded(id: string): void {
    const known = this.#objects.get(id)
    if (known) known.failures = 0
  }

  forget(id: string): void {
    this.#objects.delete(id)
  }

  #of(id: string): Remembered {
    const known = this.#objects.get(id) ?? { marks: new Map(), failures: 0 }
    this.#objects.set(id, known)
    return known
  }
}
