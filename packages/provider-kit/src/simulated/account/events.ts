import type { ServerView } from '../server/server.ts'

export interface CloudEvent {
  readonly number: number
  readonly id: string
  readonly view: ServerView | undefined
}

/** The last so many events of an account, numbered without holes. Who comes back too late has to list again. */
export class EventRing {
  readonly #keep: number
  readonly #ring: CloudEvent[] = []
  readonly #listeners = new Set<(event: CloudEvent) => void>()
  #last = 0

  constructor(keep: number) {
    this.#keep = keep
  }

  get last(): number {
    return this.#last
  }

  push(id: string, view: ServerView | undefined): void {
    const event = { number: ++this.#last, id, view }
    this.#ring[event.number % this.#keep] = event
    for (const listener of this.#listeners) listener(event)
  }

  /** Everything after this number; undefined when not all of it is kept, or it never was. */
  after(number: number): CloudEvent[] | undefined {
    if (!(number >= 0 && number <= this.#last) || number < this.#last - this.#keep) return undefined
    const events: CloudEvent[] = []
    for (let i = number + 1; i <= this.#last; i++) events.push(this.#ring[i % this.#keep]!)
    return events
  }

  listen(listener: (event: CloudEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
