import type { ServerInfo } from '@stead/provider-kit'

export interface FeedEvent {
  readonly number: number
  readonly id: string
  readonly server: ServerInfo | undefined
}

/** How many changes are kept for watchers that come back. */
const kept = 4_096

/** Every change, in order. A cursor names this feed and a place in it: after a new start it means nothing any more. */
export class Feed {
  readonly #name: string
  readonly #events: FeedEvent[] = []
  readonly #watchers = new Set<(event: FeedEvent) => void>()
  #last = 0

  constructor(name: string) {
    this.#name = name
  }

  publish(id: string, server: ServerInfo | undefined): void {
    const event = { number: ++this.#last, id, server }
    this.#events.push(event)
    if (this.#events.length > kept) this.#events.shift()
    for (const watcher of this.#watchers) watcher(event)
  }

  get cursor(): string {
    return this.cursorOf(this.#last)
  }

  cursorOf(number: number): string {
    return `${this.#name}.${number}`
  }

  /** What came after a cursor; undefined when that is no longer known. */
  after(cursor: string): readonly FeedEvent[] | undefined {
    const [name, text] = cursor.split('.')
    const number = Number(text)
    if (name !== this.#name || !Number.isSafeInteger(number) || number > this.#last) return undefined
    const first = this.#events[0]?.number ?? this.#last + 1
    return number + 1 < first ? undefined : this.#events.filter(event => event.number > number)
  }

  watch(take: (event: FeedEvent) => void): () => void {
    this.#watchers.add(take)
    return () => this.#watchers.delete(take)
  }
}
