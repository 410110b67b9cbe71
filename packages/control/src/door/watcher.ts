import { type Change, GoneError, type ReadCache, type Revision, type Store } from '@stead/engine'
import type { Place } from '../identity/caller.ts'
import { type EventStream, encodeEvent } from './event-stream.ts'
import { type Feed, type FeedEntry, type Follower, isAt } from './feed.ts'

export interface WatcherOptions {
  readonly feed: Feed
  readonly cache: Pick<ReadCache, 'reached'>
  readonly store: Pick<Store, 'watch'>
  readonly stream: EventStream
  readonly place: Place
  /** Everything after this revision is sent. */
  readonly since: Revision
  /** Encodes what the reader sees of an object; undefined for kinds it did not ask for. */
  readonly show: (change: Change) => string | undefined
}

const listAgain = 'list again, then watch from the revision of the list'

/**
 * One reader following the log. It is either *live*, and pushed each entry as it comes, or it pulls: from the ring of
 * the feed when it fell behind for a moment, from the store's log when it comes back after longer. It never holds
 * events: all it holds is the revision up to which everything was sent.
 */
export class Watcher implements Follower {
  readonly place: Place
  readonly #options: WatcherOptions
  #position: Revision
  #isLive = false

  constructor(options: WatcherOptions) {
    this.#options = options
    this.place = options.place
    this.#position = options.since
  }

  /** Sends until the stream ends. */
  async run(): Promise<void> {
    const { feed, stream } = this.#options
    if (!stream.isOpen) return
    const unfollow = feed.follow(this)
    stream.signal.addEventListener('abort', unfollow)
    stream.heartbeat = () =>
      encodeEvent({ id: this.position, event: 'heartbeat', data: `{"revision":${this.position}}` })
    await this.#catchUp()
    if (this.#isLive) stream.beat()
  }

  /** Everything up to here was sent. While it is live, what happened elsewhere counts as sent too. */
  get position(): Revision {
    return this.#isLive ? this.#options.feed.head : this.#position
  }

  changed(entry: FeedEntry): void {
    if (!this.#isLive) return
    this.#send(entry)
    if (this.#options.stream.isFlowing) return
    this.#isLive = false
    void this.#catchUp()
  }

  lost(): void {
    this.#options.stream.end('gone', `this node lost the log: ${listAgain}`)
  }

  async #catchUp(): Promise<void> {
    const { feed, stream } = this.#options
    try {
      while (stream.isOpen && !this.#isLive) {
        await stream.drained()
        if (this.#position < feed.start) await this.#replay()
        else this.#sendRing()
      }
    } catch (error) {
      if (error instanceof GoneError) stream.end('gone', `${error.message}: ${listAgain}`)
      else stream.fail(error)
    }
  }

  /**
   * Sends what the ring holds, without a pause: reaching its end and going live is one step, so nothing falls between.
   */
  #sendRing(): void {
    const { feed, stream } = this.#options
    while (stream.isFlowing) {
      const entry = feed.entry(this.#position + 1)
      this.#isLive = entry === undefined
      if (!entry) return
      this.#send(entry)
    }
  }

  /** Reads the store's log until the ring takes over. */
  async #replay(): Promise<void> {
    const { feed, cache, store, stream } = this.#options
    for await (const entries of store.watch(this.#position, stream.signal)) {
      for (const entry of entries) {
        await cache.reached(entry.revision, stream.signal)
        this.#send(entry)
        await stream.drained()
        if (this.#position >= feed.start) return
      }
    }
  }

  /** The id comes with the last event of a revision: who is cut off before it gets the whole revision again. */
  #send({ revision, changes }: FeedEntry): void {
    const { stream, show, place } = this.#options
    let text = ''
    let last = ''
    for (const change of changes) {
      const data = isAt(change.object, place) ? show(change) : undefined
      if (data === undefined) continue
      text += last
      last = data
    }
    if (last !== '') stream.write(`${text}id: ${revision}\n${last}`)
    this.#position = revision
  }
}
