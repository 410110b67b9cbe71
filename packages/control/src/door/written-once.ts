import type { StoredObject } from '@stead/engine'
import type { WrittenReply } from './written-reply.ts'

interface Kept {
  /** Which answer of which route it is. */
  readonly as: object
  readonly written: WrittenReply
}

/** Characters of each of two generations. Together, what a node spends on this. */
const mostCharacters = 8_000_000
/** What an answer takes besides its text, about: mostly the list of its header lines. */
const besidesText = 500
/** What is larger is rare, and costs more to keep than to write. */
const longestText = 16_000

/**
 * Answers that show one version of an object and nothing else, written once for all who read it: to present, cut and
 * write a small object takes 6 µs, to find it here 0.2. They go with their version, and when there are too many.
 */
export class WrittenOnce {
  #recent = new WeakMap<StoredObject, Kept>()
  #before = new WeakMap<StoredObject, Kept>()
  #characters = 0

  /** As it was written for the same answer of the same route, or as it is written now. */
  of(object: StoredObject, as: object, write: () => WrittenReply): WrittenReply {
    const recent = this.#recent.get(object)
    if (recent?.as === as) return recent.written
    const before = this.#before.get(object)
    const written = before?.as === as ? before.written : write()
    this.#keep(object, { as, written })
    return written
  }

  #keep(object: StoredObject, kept: Kept): void {
    const length = kept.written.text?.length ?? 0
    if (length > longestText) return
    this.#characters += length + besidesText
    if (this.#characters > mostCharacters) {
      this.#before = this.#recent
      this.#recent = new WeakMap()
      this.#characters = length + besidesText
    }
    this.#recent.set(object, kept)
  }
}
