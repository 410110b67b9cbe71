import { Agenda, type Duration, type Instant, millis, type World } from '@stead/world'
import { type BackoffOptions, backoff } from '../backoff.ts'
import { GoneError, UnavailableError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import { type Logger, silentLogger } from '../words/logger.ts'
import type { Revision } from '../words/object.ts'
import type { Store } from '../words/store.ts'
import { type CacheChange, Contents } from './contents.ts'
import { Currency } from './currency.ts'
import { difference } from './difference.ts'
import type { Index } from './kind-table.ts'
import { ScopedView, type View } from './view.ts'

/** One committed change-set, with what was there before it. */
export interface CacheEntry {
  readonly revision: Revision
  readonly at: Instant
  readonly changes: readonly CacheChange[]
  /** The cache had to load again: this is the sum of all that happened meanwhile, by whomever, up to the revision. */
  readonly isSum?: boolean
}

export type CacheListener = (entry: CacheEntry) => void

export interface CacheOptions {
  readonly store: Pick<Store, 'snapshot' | 'watch' | 'head' | 'headAsOf'>
  readonly world: World
  readonly indexes?: readonly Index[]
  readonly log?: Logger
}

/** The store is asked again soon: every read of this node waits for it. */
const retries: BackoffOptions = { first: millis(50), cap: millis(1_000) }

/** The log had a hole or went back. The store promises that it never does; loading again is the only safe answer. */
class BrokenLogError extends Error {
  override readonly name = 'BrokenLogError'
}

/**
 * Every object of the store, in memory: loads a snapshot, follows the log. Reads are synchronous, so each is of one
 * revision. A tenant's object cannot be asked for without naming the tenant.
 */
export class ReadCache {
  private readonly options: CacheOptions
  private readonly log: Logger
  private readonly contents: Contents
  private readonly everything: View
  private readonly currency: Currency
  private readonly listeners = new Set<CacheListener>()
  private readonly waiting = new Agenda<PromiseWithResolvers<void>>()
  private readonly stopping = new AbortController()
  private current: Revision = 0
  private readonly currentRevision = () => this.current
  private isLoaded = false
  private isFollowing = false
  private failures = 0
  private running: Promise<void> | undefined
  private readonly firstLoad = Promise.withResolvers<void>()

  constructor(options: CacheOptions) {
    this.options = options
    this.log = options.log ?? silentLogger
    this.contents = new Contents(options.indexes ?? [], (error, fields) => this.bug(error, fields))
    this.everything = this.view('platform')
    this.currency = new Currency(options.world.monotonic())
  }

  /** Loads, then follows until `stop`. Resolves once everything is loaded, however often the store must be asked. */
  start(): Promise<void> {
    this.running ??= this.run()
    return this.firstLoad.promise
  }

  async stop(): Promise<void> {
    this.stopping.abort(new UnavailableError('the cache has stopped'))
    for (const waiter of this.waitersThrough(Number.POSITIVE_INFINITY)) waiter.reject(this.stopping.signal.reason)
    await this.running
  }

  get revision(): Revision {
    return this.current
  }

  get loaded(): boolean {
    return this.isLoaded
  }

  /** How many objects it holds. */
  get size(): number {
    return this.contents.size
  }

  /** What is in one project. */
  inProject(projectId: string): View {
    return this.view({ project: projectId })
  }

  /** What is in one organization, in its projects too. */
  inOrganization(organizationId: string): View {
    return this.view({ organization: organizationId })
  }

  /** Everything. For controllers, and for those who may see the whole platform. */
  platform(): View {
    return this.everything
  }

  /** Resolves when the cache is at or past this revision: a node that answered a write then reads it. */
  async reached(revision: Revision, signal?: AbortSignal): Promise<void> {
    if (this.current >= revision) return
    this.stopping.signal.throwIfAborted()
    signal?.throwIfAborted()
    const waiter = Promise.withResolvers<void>()
    const appointment = this.waiting.add(revision, waiter)
    const giveUp = () => waiter.reject(signal!.reason)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      await waiter.promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
      this.waiting.remove(appointment)
    }
  }

  /** Calls the listener with each entry, once all of it can be read, before anything else happens. */
  onChange(listener: CacheListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** How long ago it was last known to hold everything committed by then. Grows while the store cannot be followed. */
  lag(): Duration {
    if (this.isFollowing) this.observeHead()
    return this.currency.lag(this.options.world.monotonic())
  }

  private observeHead(): void {
    const { store, world } = this.options
    this.currency.observe(this.current, store.head(), store.headAsOf?.() ?? world.monotonic())
  }

  private view(scope: ConstructorParameters<typeof ScopedView>[1]): View {
    return new ScopedView(this.contents, scope, this.currentRevision)
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted)
      try {
        if (!this.isLoaded) await this.load()
        this.firstLoad.resolve()
        this.isFollowing = true
        for await (const entries of this.options.store.watch(this.current, signal)) this.follow(entries)
        if (!signal.aborted) throw new UnavailableError('the watch ended by itself')
      } catch (error) {
        this.isFollowing = false
        if (!signal.aborted) await this.recover(error)
      }
    this.isFollowing = false
    this.firstLoad.reject(signal.reason)
  }

  /** One synchronous step from the old state to the new: nobody reads a mixture. Those who follow get the difference. */
  private async load(): Promise<void> {
    const { store, world } = this.options
    const snapshot = await store.snapshot()
    const { puts, removes } = await difference(this.contents, snapshot)
    if (this.stopping.signal.aborted) return
    const changes = [
      ...removes.map(object => this.contents.remove(object)),
      ...puts.map(object => this.contents.put(object)),
    ]
    this.isLoaded = true
    this.advance({ revision: snapshot.revision, at: world.now(), changes, isSum: true })
  }

  private follow(entries: readonly LogEntry[]): void {
    for (const { revision, at, changes } of entries) {
      if (revision !== this.current + 1) throw new BrokenLogError(`the log went from ${this.current} to ${revision}`)
      this.advance({
        revision,
        at,
        changes: changes.map(({ op, object }) =>
          op === 'put' ? this.contents.put(object) : this.contents.remove(object),
        ),
      })
    }
    this.failures = 0
    this.observeHead()
  }

  private advance(entry: CacheEntry): void {
    this.current = entry.revision
    for (const listener of this.listeners)
      try {
        listener(entry)
      } catch (error) {
        this.bug(error, { revision: entry.revision })
      }
    for (const waiter of this.waitersThrough(this.current)) waiter.resolve()
  }

  private *waitersThrough(revision: Revision): Iterable<PromiseWithResolvers<void>> {
    for (let next = this.waiting.takeDue(revision); next; next = this.waiting.takeDue(revision)) yield next.item
  }

  private async recover(error: unknown): Promise<void> {
    const { world } = this.options
    if (error instanceof GoneError || error instanceof BrokenLogError) this.isLoaded = false
    const broken = error instanceof BrokenLogError
    this.log[broken ? 'error' : 'warn'](
      { error, revision: this.current },
      'the cache lost the log and follows it again',
    )
    this.failures++
    await world.sleep(backoff(retries, this.failures, world.random()), this.stopping.signal).catch(() => {})
  }

  private bug(error: unknown, fields: object): void {
    this.log.error({ error, ...fields }, 'a function the cache calls threw: a bug')
  }
}
