import type { Provider, Tags, WatchEvent } from '@stead/provider-kit'
import { type Duration, millis, seconds, type Timer, type World } from '@stead/world'

/** A stream that nobody reads any more, because the region went to another node, ends by itself. */
const neglect = seconds(10)
/** So many are handed over at once. */
const mostAtOnce = 500

type Step = { readonly type: 'event'; readonly event: WatchEvent } | { readonly type: 'end'; readonly error?: unknown }

/**
 * The changes of one region as its backend tells them. It is read a little at a time, between which it stays open; where it
 * breaks off, it is taken up again after the last change that was handed over.
 */
export class RegionStream {
  readonly #world: World
  readonly #tags: Tags
  #iterator: AsyncIterator<WatchEvent> | undefined
  #provider: Provider | undefined
  #closing = new AbortController()
  #next: Promise<Step> | undefined
  #cursor: string | undefined
  #timer: Timer | undefined

  constructor(world: World, tags: Tags) {
    this.#world = world
    this.#tags = tags
  }

  /** Opens it if it is not; answers whether a list is needed now, because something may have been missed. */
  async open(provider: Provider, signal: AbortSignal): Promise<'open' | 'opened'> {
    this.#keep()
    if (this.#iterator && this.#provider === provider) return 'open'
    this.close()
    this.#keep()
    this.#closing = new AbortController()
    this.#provider = provider
    const request = { tags: this.#tags, ...(this.#cursor !== undefined && { after: this.#cursor }) }
    const iterator = provider.watch!(request, { signal: this.#closing.signal })[Symbol.asyncIterator]()
    const abandon = () => this.#closing.abort(signal.reason)
    signal.addEventListener('abort', abandon, { once: true })
    try {
      const first = await iterator.next()
      if (first.done || first.value.type !== 'open') {
        // The cursor is too old to go on from: from now on, then; the list shows the rest.
        this.#cursor = undefined
        return await this.#reopen(provider, signal)
      }
      this.#cursor = first.value.cursor
      this.#iterator = iterator
      return 'opened'
    } finally {
      signal.removeEventListener('abort', abandon)
    }
  }

  async #reopen(provider: Provider, signal: AbortSignal): Promise<'opened'> {
    this.close()
    await this.open(provider, signal)
    return 'opened'
  }

  /** The changes that have come, after waiting up to this long for the first. Throws when the stream broke off. */
  async take(atMost: Duration, signal: AbortSignal): Promise<readonly Extract<WatchEvent, { type: 'change' }>[]> {
    this.#keep()
    const taken: Extract<WatchEvent, { type: 'change' }>[] = []
    let wait = this.#wait(atMost, signal)
    try {
      while (taken.length < mostAtOnce) {
        const step = await this.#step(wait.over)
        if (!step) break
        this.#next = undefined
        if (step.type === 'end') {
          this.close()
          if (step.error !== undefined && taken.length === 0) throw step.error
          break
        }
        const { event } = step
        if (event.type === 'gone') {
          this.#cursor = undefined
          this.close()
          break
        }
        this.#cursor = event.cursor
        if (event.type !== 'change') continue
        taken.push(event)
        if (taken.length > 1) continue
        // From now on only what is there already, and one wait for all of it: there may be hundreds.
        wait.end()
        wait = this.#wait(millis(0), signal)
      }
      return taken
    } finally {
      wait.end()
    }
  }

  /** It can be opened again, and then goes on where it was. */
  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#iterator = undefined
    this.#next = undefined
    this.#closing.abort(new Error('the stream is not read any more'))
  }

  /** The next event, if it comes before this; the one that is waited for stays waited for. */
  #step(over: Promise<undefined>): Promise<Step | undefined> {
    if (!this.#iterator) return Promise.resolve(undefined)
    this.#next ??= this.#iterator.next().then(
      result => (result.done ? this.#ended() : { type: 'event', event: result.value }),
      error => this.#ended(error),
    )
    return Promise.race([this.#next, over])
  }

  /** Over after so long, or when the signal says so. */
  #wait(length: Duration, signal: AbortSignal): { readonly over: Promise<undefined>; end(): void } {
    const { promise: over, resolve } = Promise.withResolvers<undefined>()
    const stop = () => resolve(undefined)
    const timer = this.#world.setTimer(length, stop)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    const end = () => {
      timer.cancel()
      signal.removeEventListener('abort', stop)
    }
    return { over, end }
  }

  /** Nothing is left that would have to end by itself: a timer would only keep a process that stops. */
  #ended(error?: unknown): Step {
    this.#timer?.cancel()
    return { type: 'end', error }
  }

  #keep(): void {
    this.#timer?.cancel()
    this.#timer = this.#world.setTimer(neglect, () => this.close())
  }
}
