import type { Metrics } from '@stead/engine'
import { type Capabilities, type Catalog, ProviderError, withDeadline } from '@stead/provider-kit'
import { type Duration, type Instant, millis, seconds, type World } from '@stead/world'
import { type RegionClients, settingsOf } from '../clients.ts'
import type { Region } from '../model.ts'

export interface CatalogsOptions {
  readonly clients: Pick<RegionClients, 'of'>
  readonly world: World
  readonly metrics?: Metrics
}

/** What a backend answered when this node last asked. */
export interface Answered {
  readonly catalog: Catalog
  readonly capabilities: Capabilities
  readonly at: Instant
  /** The same, for telling how old it is. */
  readonly moment: Duration
  /** How long the backend took. */
  readonly latency: Duration
}

export interface LastKnown {
  readonly answered: (Answered & { readonly age: Duration }) | undefined
  /** Why the last call failed, if it did. */
  readonly error: unknown
}

interface Entry {
  /** Of what the region was connected with: another account has another catalog. */
  readonly settings: string
  readonly name: string
  answered?: Answered
  failed?: { readonly error: unknown; readonly moment: Duration }
  asking?: Promise<Answered>
}

/** Past this a backend counts as not answering. */
export const answerLimit = seconds(10)
/** Older than this, a catalog is asked for again while the one that is known is still given. */
const freshFor = seconds(60)
/** A backend that failed is not asked by every reader. */
const pauseAfterFailure = seconds(5)

/**
 * What the regions offer, as this node knows it: one call at a time to each, and nobody waits for one that has answered
 * before. Nothing of it is stored: every node asks for itself, and what checks a region's health asks most often.
 */
export class RegionCatalogs {
  readonly #options: CatalogsOptions
  readonly #entries = new Map<string, Entry>()
  readonly #closing = new AbortController()
  readonly #up
  readonly #latency

  constructor(options: CatalogsOptions) {
    this.#options = options
    this.#up = options.metrics?.gauge('stead_region_up', 'Whether the backend of a region answered this node', [
      'region',
    ])
    this.#latency = options.metrics?.gauge(
      'stead_region_latency_seconds',
      'How long the backend of a region took to answer this node',
      ['region'],
    )
  }

  /** What the backend last answered this node, at once. One that is getting old, or not there yet, is asked for meanwhile. */
  lastKnown(region: Region): LastKnown {
    const entry = this.#entry(region)
    if (this.#isDue(entry)) this.ask(region).catch(() => {})
    const { answered, failed } = entry
    const age = millis(answered ? this.#options.world.monotonic() - answered.moment : 0)
    return { answered: answered && { ...answered, age }, error: failed?.error }
  }

  /** As `lastKnown`, and waits a little where a backend has neither answered nor failed yet. */
  async firstKnown(region: Region, patience: Duration): Promise<LastKnown> {
    const { world } = this.#options
    const known = this.lastKnown(region)
    const { asking } = this.#entry(region)
    if (known.answered || known.error !== undefined || !asking) return known
    await withDeadline(world, patience, () => asking).catch(() => {})
    return this.lastKnown(region)
  }

  /** Asks the backend. Whoever asks meanwhile gets the same answer. */
  ask(region: Region): Promise<Answered> {
    const entry = this.#entry(region)
    entry.asking ??= this.#ask(region, entry).finally(() => {
      delete entry.asking
    })
    return entry.asking
  }

  /** What this node saw when it last asked, without asking. */
  peek(region: Region): Answered | undefined {
    const entry = this.#entries.get(region.id)
    return entry?.settings === settingsOf(region) ? entry.answered : undefined
  }

  forget(regionId: string): void {
    const entry = this.#entries.get(regionId)
    this.#entries.delete(regionId)
    if (!entry) return
    this.#up?.remove({ region: entry.name })
    this.#latency?.remove({ region: entry.name })
  }

  /** Whether this node has stopped asking. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Asks no more, and waits for no answer: a backend that is silent must not hold up a stop. */
  close(): void {
    this.#closing.abort(new ProviderError('Unavailable', 'this node is stopping'))
  }

  #entry(region: Region): Entry {
    const settings = settingsOf(region)
    const known = this.#entries.get(region.id)
    if (known?.settings === settings) return known
    const entry = { settings, name: region.name ?? region.id }
    this.#entries.set(region.id, entry)
    return entry
  }

  #isDue({ answered, failed, asking }: Entry): boolean {
    const now = this.#options.world.monotonic()
    if (asking || (failed && now - failed.moment < pauseAfterFailure)) return false
    return !answered || now - answered.moment >= freshFor
  }

  async #ask(region: Region, entry: Entry): Promise<Answered> {
    const { clients, world } = this.#options
    try {
      const answered = await withDeadline(
        world,
        answerLimit,
        async signal => {
          const provider = await clients.of(region)
          const began = world.monotonic()
          const catalog = await provider.catalog({ signal })
          const moment = world.monotonic()
          const capabilities = provider.capabilities()
          return { catalog, capabilities, at: world.now(), moment, latency: millis(moment - began) }
        },
        this.#closing.signal,
      )
      entry.answered = answered
      delete entry.failed
      this.#up?.with({ region: entry.name }).set(1)
      this.#latency?.with({ region: entry.name }).set(answered.latency / 1_000)
      return answered
    } catch (error) {
      entry.failed = { error, moment: world.monotonic() }
      this.#up?.with({ region: entry.name }).set(0)
      throw error
    }
  }
}
