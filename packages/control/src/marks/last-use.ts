import type { Logger, Store } from '@stead/engine'
import { type Duration, type Instant, instant, minutes, seconds, type Timer, type World } from '@stead/world'

export interface LastUseOptions {
  readonly store: Pick<Store, 'setMarks' | 'marks'>
  readonly world: World
  readonly log: Logger
  /** What is marked, for the log: `credentials`. */
  readonly what: string
  /** The mark of one of them. */
  readonly mark: (id: string) => string
}

/** What is used all the time is written down this often. */
export const markedEvery: Duration = minutes(1)
/** Uses of this long are written together. */
const gathering: Duration = seconds(1)

/** When things were last used: marks, off the request's path, at most one a minute for each on each node. */
export class LastUse {
  readonly #options: LastUseOptions
  readonly #written = new Map<string, Instant>()
  readonly #waiting = new Map<string, Instant>()
  #timer: Timer | undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: LastUseOptions) {
    this.#options = options
  }

  note(id: string): void {
    const now = this.#options.world.now()
    const before = this.#written.get(id)
    if (before !== undefined && now - before < markedEvery) return
    this.#written.set(id, now)
    this.#waiting.set(id, now)
    this.#timer ??= this.#options.world.setTimer(gathering, () => this.#flush())
  }

  /** When each of these was last used, to the minute; those never used are left out. */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, Instant>> {
    if (ids.length === 0) return new Map()
    const { store, mark } = this.#options
    const marks = await store.marks(ids.map(mark))
    const found = new Map(marks.map(marked => [marked.mark.slice(mark('').length), marked.at]))
    for (const id of ids) {
      const waiting = this.#waiting.get(id)
      if (waiting !== undefined) found.set(id, instant(Math.max(waiting, found.get(id) ?? 0)))
    }
    return found
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.#flush()
    await this.#flushing
  }

  #flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const { store, world, log, mark, what } = this.#options
    const marks = [...this.#waiting].map(([id, at]) => ({ mark: mark(id), at, value: '' }))
    this.#waiting.clear()
    this.#forgetOld(world.now())
    if (marks.length === 0) return
    const written = store.setMarks(marks).catch((error: unknown) => {
      // Nothing depends on it: the next use writes it again.
      log.warn({ error }, `when ${what} were last used could not be written`)
    })
    this.#flushing = this.#flushing.then(() => written)
  }

  #forgetOld(now: Instant): void {
    for (const [id, at] of this.#written) if (now - at >= markedEvery) this.#written.delete(id)
  }
}
