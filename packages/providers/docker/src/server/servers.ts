import { backoff, isOwned, isProviderError, ProviderError, type ServerInfo } from '@stead/provider-kit'
import { millis, newId, seconds } from '@stead/world'
import type { EngineEvent } from '../engine/words.ts'
import type { Context } from './context.ts'
import { Drive } from './drive.ts'
import { Feed } from './feed.ts'
import { labels } from './labels.ts'
import { look, lookAtAll, type Seen } from './look.ts'
import { abandoned, sweep } from './remove.ts'
import type { View } from './view.ts'

/** What tells of a change. An engine also tells of every look inside, which we do ourselves all the time. */
const telling = /^(create|start|die|died|stop|oom|destroy|remove|rename|update|pause|unpause|restart|cleanup)$/
const retry = { base: millis(100), cap: seconds(5) }

/** All servers of a region, kept going by what the engine tells. */
export class Servers {
  readonly #context: Context
  readonly #drives = new Map<string, Drive>()
  readonly #launching = new Map<string, { readonly fingerprint: string; readonly work: Promise<ServerInfo> }>()
  readonly #closing = new AbortController()
  readonly feed: Feed
  /** Settled while the engine tells us what happens, or with why it does not. */
  #live: Promise<void> = Promise.resolve()
  #sweeping: Promise<void> | undefined

  constructor(context: Context) {
    this.#context = context
    this.feed = new Feed(newId(context.world, 'feed'))
    void this.#follow()
  }

  of(id: string): Drive {
    const known = this.#drives.get(id)
    if (known) return known
    const { feed } = this
    const drive = new Drive({
      context: this.#context,
      id,
      feed,
      isPassive: false,
      onGone: () => this.#drives.delete(id),
    })
    this.#drives.set(id, drive)
    return drive
  }

  /** One launch at a time per id: who sends the same again waits for what the first one comes to. */
  async launching(id: string, fingerprint: string, launch: () => Promise<ServerInfo>): Promise<ServerInfo> {
    const running = this.#launching.get(id)
    if (running && running.fingerprint !== fingerprint)
      throw new ProviderError('Conflict', `the token of ${id} is being used for something else`)
    if (running) return running.work
    const work = launch().finally(() => this.#launching.delete(id))
    this.#launching.set(id, { fingerprint, work })
    return work
  }

  /** The one of this id, also when it is nobody's we know. Throws `NotFound`. */
  async find(id: string, signal?: AbortSignal): Promise<Drive> {
    const known = this.#drives.get(id)
    if (known) return known
    const seen = await look(this.#context, id, signal)
    if (!seen) throw new ProviderError('NotFound', `there is no server ${id}`)
    return this.ofView(seen.view)
  }

  /** For what is not ours, one that only looks. */
  ofView({ id, labels }: View): Drive {
    if (isOwned(labels, this.#context.owner.controlPlane)) return this.of(id)
    return new Drive({ context: this.#context, id, feed: new Feed(''), isPassive: true, onGone() {} })
  }

  /** Resolves once everything that happens is told. */
  live(): Promise<void> {
    return this.#live
  }

  close(): void {
    this.#closing.abort()
    for (const drive of this.#drives.values()) drive.close()
  }

  /**
   * After every break all servers are looked at again: an engine forgets what it told before its own restart, so that
   * going on "since" a moment would miss what happened around it.
   */
  async #follow(): Promise<void> {
    const { engine, world } = this.#context
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      const opened = Promise.withResolvers<void>()
      opened.promise.catch(() => {})
      this.#live = opened.promise
      try {
        const events = await engine.events(this.#closing.signal)
        await this.#survey()
        opened.resolve()
        failures = 0
        for await (const event of events) this.#on(event)
      } catch (error) {
        if (this.#closing.signal.aborted) return
        opened.reject(error)
        if (!isProviderError(error) && !isBroken(error)) throw error
      }
      await world.sleep(backoff(world, retry, Math.max(1, failures)), this.#closing.signal).catch(() => {})
    }
  }

  async #survey(): Promise<void> {
    const { owner, networks, guard } = this.#context
    const [all, shared] = await Promise.all([
      lookAtAll(this.#context, this.#closing.signal),
      networks.survey(),
      guard.ensure(),
    ])
    for (const range of shared) await guard.cover(range)
    const ours = all.filter(({ view }) => isOwned(view.labels, owner.controlPlane))
    for (const { view } of ours) this.of(view.id)
    for (const drive of this.#drives.values()) drive.wake()
    await this.#sweep(all)
  }

  /** What a crash has left is removed once it is old enough, so what is too young for that is looked at again. */
  async #sweep(all: readonly Seen[]): Promise<void> {
    const isYoung = await sweep(this.#context, new Set([...all.map(({ view }) => view.id), ...this.#launching.keys()]))
    if (isYoung) this.#sweepLater()
  }

  #sweepLater(): void {
    const { world } = this.#context
    this.#sweeping ??= (async () => {
      try {
        await world.sleep(abandoned, this.#closing.signal)
        this.#sweeping = undefined
        await this.#sweep(await lookAtAll(this.#context, this.#closing.signal))
      } catch (error) {
        // An engine that is away is surveyed once it is back, and then this is done, too.
        if (!this.#closing.signal.aborted && !isProviderError(error)) throw error
      }
    })()
  }

  #on({ Action, Actor: { Attributes } }: EngineEvent): void {
    const id = Attributes?.[labels.id]
    if (id === undefined || !telling.test(Action)) return
    const isOurs = this.#drives.has(id) || isOwned(Attributes!, this.#context.owner.controlPlane)
    if (isOurs) this.of(id).wake()
  }
}

/** A stream that broke off in the middle of a word. */
const isBroken = (error: unknown): boolean =>
  error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ECONNRESET'
