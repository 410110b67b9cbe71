import { hasTags } from '../../filter.ts'
import { createTags, type Tags } from '../../tags.ts'

interface Moment<View> {
  readonly at: number
  /** Undefined from the moment it was removed. */
  readonly view: View | undefined
}

/** Something the cloud keeps, and how it shows itself. */
export abstract class Entry<View> {
  readonly id: string
  readonly sequence: number
  tags: Tags
  removed = false
  /** How it looked before, for as long as somebody may still be shown that. */
  past: Moment<View>[] | undefined

  constructor(id: string, sequence: number, tags: Tags) {
    this.id = id
    this.sequence = sequence
    this.tags = tags
  }

  abstract view(): View
}

export interface PageRequest<View> {
  readonly tags: Tags
  readonly matches: (view: View) => boolean
  /** Go on after this sequence number. */
  readonly after: number
  readonly limit: number
  /** The moment of which the picture is shown. */
  readonly at: number
}

export interface Page<View> {
  readonly items: readonly View[]
  readonly next: number | undefined
  /** Something in it no longer looks like this. */
  readonly stale: boolean
}

/** All entries of one kind in one account, in the order they were made, now and a little while ago. */
export class Roster<View extends { readonly tags: Tags }, E extends Entry<View>> {
  readonly #keep: number
  readonly #entries = new Map<string, E>()
  /** By the tag that creates are searched by. Scanning 100,000 servers for each launch would be quadratic. */
  readonly #byToken = new Map<string, E>()
  #order: E[] = []
  #forgotten = 0

  /** `keep`: for how long older pictures are kept. */
  constructor(keep: number) {
    this.#keep = keep
  }

  get size(): number {
    return this.#entries.size
  }

  /** The truth. */
  get(id: string): E | undefined {
    const entry = this.#entries.get(id)
    return entry?.removed ? undefined : entry
  }

  *[Symbol.iterator](): Iterator<E> {
    for (const entry of this.#entries.values()) if (!entry.removed) yield entry
  }

  add(entry: E, now: number): void {
    this.#entries.set(entry.id, entry)
    this.#order.push(entry)
    const token = entry.tags[createTags.token]
    if (token !== undefined) this.#byToken.set(token, entry)
    this.changed(entry, now)
  }

  changed(entry: E, now: number): void {
    if (this.#keep === 0) return
    entry.past ??= []
    const { past } = entry
    past.push({ at: now, view: entry.removed ? undefined : entry.view() })
    while (past.length > 1 && past[1]!.at <= now - this.#keep) past.shift()
  }

  /** Whoever looks at an older picture still sees it, until it is forgotten. */
  remove(entry: E, now: number): void {
    entry.removed = true
    if (this.#keep === 0) this.forget(entry)
    else this.changed(entry, now)
  }

  forget(entry: E): void {
    if (!this.#entries.delete(entry.id)) return
    const token = entry.tags[createTags.token]
    if (token !== undefined && this.#byToken.get(token) === entry) this.#byToken.delete(token)
    this.#forgotten++
    if (this.#forgotten < 1_000 && this.#forgotten * 2 < this.#order.length) return
    this.#order = [...this.#entries.values()]
    this.#forgotten = 0
  }

  /** How it looked at that moment; undefined when it was not there. */
  at(id: string, moment: number): View | undefined {
    const entry = this.#entries.get(id)
    return entry && this.#picture(entry, moment)
  }

  page(request: PageRequest<View>): Page<View> {
    const items: View[] = []
    let stale = false
    for (const entry of this.#candidates(request)) {
      if (!entry.past && !hasTags(entry.tags, request.tags)) continue // most of a big list, without building a view
      const view = this.#picture(entry, request.at)
      if (entry.past) stale ||= view !== entry.past.at(-1)!.view
      if (!view || !hasTags(view.tags, request.tags) || !request.matches(view)) continue
      // An entry that stays is met exactly once, whatever comes and goes between two pages.
      if (items.length === request.limit) return { items, next: entry.sequence - 1, stale }
      items.push(view)
    }
    return { items, next: undefined, stale }
  }

  *#candidates({ tags, after }: PageRequest<View>): Iterable<E> {
    const token = tags[createTags.token]
    if (token !== undefined) {
      const entry = this.#byToken.get(token)
      if (entry && entry.sequence > after) yield entry
      return
    }
    const order = this.#order
    for (let i = firstAfter(order, after); i < order.length; i++) if (this.#entries.has(order[i]!.id)) yield order[i]!
  }

  #picture(entry: E, moment: number): View | undefined {
    if (!entry.past) return entry.removed ? undefined : entry.view()
    for (let i = entry.past.length - 1; i >= 0; i--) if (entry.past[i]!.at <= moment) return entry.past[i]!.view
    return undefined
  }
}

function firstAfter(order: readonly { readonly sequence: number }[], sequence: number): number {
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (order[middle]!.sequence <= sequence) low = middle + 1
    else high = middle
  }
  return low
}
