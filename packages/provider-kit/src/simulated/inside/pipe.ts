import { millis, type World } from '@stead/world'

/**
 * A bounded queue between one who writes and one who reads. A writer who awaits is held up while it is full;
 * a reader takes everything that is there at once.
 */
export class Pipe<T> {
  readonly #limit: number
  #items: T[] = []
  #ended = false
  #error: unknown
  #readable: (() => void) | undefined
  #writable: (() => void)[] = []

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit
  }

  get full(): boolean {
    return this.#items.length >= this.#limit
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Resolves when there is room for the next one. */
  write(item: T): Promise<void> {
    if (this.#ended) return Promise.resolve()
    this.#items.push(item)
    this.#wake()
    return this.full ? new Promise(resolve => this.#writable.push(resolve)) : Promise.resolve()
  }

  /** No more comes; what is there can still be read. With an error, the reader hears it after that. */
  end(error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#wake()
    this.#letWrite()
  }

  /** Throws away what is there, too. */
  cut(error?: unknown): void {
    this.#items = []
    this.end(error)
  }

  /** Everything that is there, waiting for something; undefined at the end. */
  async take(): Promise<T[] | undefined> {
    while (this.#items.length === 0 && !this.#ended) await new Promise<void>(resolve => (this.#readable = resolve))
    if (this.#items.length === 0) {
      if (this.#error !== undefined) throw this.#error
      return undefined
    }
    const items = this.#items
    this.#items = []
    this.#letWrite()
    return items
  }

  #wake(): void {
    this.#readable?.()
    this.#readable = undefined
  }

  #letWrite(): void {
    const waiting = this.#writable
    this.#writable = []
    for (const go of waiting) go()
  }
}

/**
 * Reads a pipe from a distance. Everything comes through the reader's own timers, so one that has died hears nothing more;
 * what came meanwhile comes together. `leave` runs once, however the reading ends.
 */
export async function* carried<T>(
  pipe: Pipe<T>,
  reader: World,
  options: { readonly signal?: AbortSignal | undefined; readonly leave: () => void },
): AsyncGenerator<T, void, undefined> {
  const { signal, leave } = options
  const stop = () => pipe.cut(signal!.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const items = await pipe.take()
      if (!items) return
      await reader.sleep(millis(0))
      for (const item of items) {
        signal?.throwIfAborted()
        yield item
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    leave()
  }
}
