/** Specs by the text they were read from. */
export interface KnownSpecs {
  /** The spec that was read from this text before, and is shared: all of it is frozen. */
  find(text: string, kind: string): object | undefined
  keep(spec: unknown, text: string, kind: string): void
}

/**
 * The last spec of each kind: those that were made alike come one after the other. To remember more of them costs more than
 * it finds: most kinds have no two alike.
 */
export class LastSpecs implements KnownSpecs {
  readonly #last = new Map<string, { readonly text: string; readonly spec: object }>()

  find(text: string, kind: string): object | undefined {
    const last = this.#last.get(kind)
    return last?.text === text ? last.spec : undefined
  }

  keep(spec: unknown, text: string, kind: string): void {
    if (typeof spec !== 'object' || spec === null || this.#last.get(kind)?.spec === spec) return
    this.#last.set(kind, { text, spec })
  }
}

/** Of so many specs; about 5 MB when all are in use. What changes now was mostly changed a moment ago. */
const most = 8_192

/**
 * Specs that were read lately, with the text they were read from. Most changes are of a status and leave the spec as it was
 * read: then it need be neither written out in canonical order nor parsed and frozen again. A change of an instance takes
 * 14 µs to encode and decode so, and 21 without.
 */
export class RecentSpecs implements KnownSpecs {
  readonly #texts = new WeakMap<object, string>()
  readonly #generation: number
  /** In two generations: what is used again is in the younger by then, and need not be moved each time. */
  #young = new Map<string, object>()
  #old = new Map<string, object>()

  constructor(limit = most) {
    this.#generation = Math.max(1, limit >> 1)
  }

  /** What this very object was read from. */
  textOf(spec: unknown): string | undefined {
    return typeof spec === 'object' && spec !== null ? this.#texts.get(spec) : undefined
  }

  find(text: string): object | undefined {
    return this.#young.get(text) ?? this.#old.get(text)
  }

  keep(spec: unknown, text: string): void {
    if (typeof spec !== 'object' || spec === null || this.#young.get(text) === spec) return
    if (this.#young.size >= this.#generation) this.#forgetOldest()
    this.#young.set(text, spec)
    this.#texts.set(spec, text)
  }

  #forgetOldest(): void {
    for (const [text, spec] of this.#old) if (this.#young.get(text) !== spec) this.#texts.delete(spec)
    this.#old = this.#young
    this.#young = new Map()
  }
}
