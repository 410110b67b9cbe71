import type { Operation } from './document.ts'

/** Something that an answer told of. */
export interface Thing {
  readonly id: string
  readonly name?: string
  /** What the path said where it was seen: `{organization: 'acme'}`. */
  readonly params: Readonly<Record<string, string>>
}

/** Remembered of each kind; those before are forgotten. */
const most = 60

class Shelf<T> {
  readonly #items = new Map<string, T[]>()

  put(key: string, item: T): void {
    const items = this.#items.get(key) ?? []
    items.push(item)
    if (items.length > most) items.shift()
    this.#items.set(key, items)
  }

  get(key: string): readonly T[] {
    return this.#items.get(key) ?? []
  }
}

/** What earlier answers told, so that later requests speak of things that exist. */
export class Memory {
  /** By the noun of their collection: `service-accounts`. */
  readonly things = new Shelf<Thing>()
  /** Bodies that were accepted, by the name of the route. */
  readonly bodies = new Shelf<unknown>()
  /** Secrets that were shown, by the name of their field: an invitation can be accepted only with its `token`. */
  readonly shown = new Shelf<string>()
  /** `nextCursor` of lists, by the name of the route. */
  readonly cursors = new Shelf<string>()
  readonly etags = new Shelf<string>()
  revision = 0

  /** Takes note of an answer that was not a refusal. */
  learn(operation: Operation, params: Thing['params'], answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    const { items, nextCursor, metadata } = answer as Readonly<Record<string, unknown>>
    if (typeof nextCursor === 'string') this.cursors.put(operation.name, nextCursor)
    const noun = nounOf(operation)
    for (const item of Array.isArray(items) ? items.slice(-5) : [{ metadata }]) {
      const { id, name } = ((item as { metadata?: unknown })?.metadata ?? {}) as { id?: unknown; name?: unknown }
      if (typeof id !== 'string' || noun === undefined) continue
      this.things.put(noun, { id, params, ...(typeof name === 'string' && { name }) })
    }
  }
}

/** What an operation is about: the last word of its path that is no parameter. */
const nounOf = ({ words }: Operation): string | undefined => words.findLast(word => !word.startsWith('{'))
