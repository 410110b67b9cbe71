import { type Duration, millis, newId, seconds, type World } from '@stead/world'
import { ReadCache } from './cache/cache.ts'
import type { Index } from './cache/kind-table.ts'
import type { Controller, ReconcileTracing } from './controllers/controller.ts'
import type { WorkQueue } from './controllers/queue.ts'
import { Runtime } from './controllers/runtime.ts'
import { ShardKeeper } from './controllers/shard-keeper.ts'
import type { ControllerState, StuckObject } from './controllers/state.ts'
import { maintain, type Retention } from './maintenance/maintenance.ts'
import { createMetrics, type MetricsRegistry } from './metrics/index.ts'
import type { ChangeSet, Committed } from './words/change-set.ts'
import { UnavailableError } from './words/errors.ts'
import { type Logger, silentLogger, withFields } from './words/logger.ts'
import type { Revision } from './words/object.ts'
import type { CommitOptions, Store } from './words/store.ts'

export interface EngineOptions {
  readonly store: Store
  readonly world: World
  readonly controllers?: readonly Controller[]
  readonly indexes?: readonly Index[]
  readonly metrics?: MetricsRegistry
  readonly log?: Logger
  /** Of this start of this process and no other: two that share one would both believe to hold a shard. */
  readonly nodeId?: string
  readonly resyncEvery?: Duration
  readonly leaseTtl?: Duration
  readonly renewEvery?: Duration
  readonly retention?: Retention
  readonly tracing?: ReconcileTracing | undefined
  /** Another queue, to see whether its bugs are found. */
  readonly Queue?: typeof WorkQueue
}

export interface Readiness {
  readonly ready: boolean
  /** Why not, in words for an operator. */
  readonly reasons: readonly string[]
}

/** What a node is doing at this moment. */
export interface NodeDescription extends Readiness {
  readonly nodeId: string
  /** The revision it reads at. */
  readonly revision: Revision
  /** How long ago that was last known to be current. */
  readonly lag: Duration
  /** In memory. */
  readonly objects: number
  readonly shards: readonly number[]
  readonly controllers: readonly ControllerState[]
  /** Of its shards, what does not come on; the first hundred. */
  readonly stuck: readonly StuckObject[]
}

/** A node of the engine. */
export interface Engine {
  readonly nodeId: string
  readonly cache: ReadCache
  /** Resolves when everything is loaded. Rejects when the engine is stopped before that. */
  readonly loaded: Promise<void>
  /** Commits, and resolves once this node reads what was written. */
  commit(changeSet: ChangeSet, options?: CommitOptions): Promise<Committed>
  /** Whether this node may answer: loaded, and not more than 5 s behind the store. */
  ready(): Readiness
  /** The shards whose keys this node reconciles. */
  shards(): readonly number[]
  /** For operators. `/metrics` tells the same in numbers. */
  describe(): NodeDescription
  /** Ends observe-only mode, and looks again at what was held back. */
  resume(): Promise<void>
  /** Ends what runs, gives up the shards, stops following. The store stays open. */
  stop(): Promise<void>
}

const tooFarBehind = seconds(5)
const commitTimeout = seconds(10)
/** An outage can get everything stuck: who looks needs examples, not a list of it all. */
const mostStuck = 100
const maintenanceLease = 'maintenance'

/** Starts a node: follows the store, takes its share of the shards, runs the controllers. Returns before it has loaded. */
export function startEngine(options: EngineOptions): Engine {
  return new EngineNode(options)
}

class EngineNode implements Engine {
  readonly nodeId: string
  readonly cache: ReadCache
  readonly loaded: Promise<void>
  private readonly options: EngineOptions
  private readonly runtime: Runtime
  private readonly keeper: ShardKeeper
  private readonly maintenance: Promise<void>
  private readonly stopping = new AbortController()
  private stopped: Promise<void> | undefined

  constructor(options: EngineOptions) {
    const { store, world, indexes = [], controllers = [], metrics = createMetrics() } = options
    this.options = options
    this.nodeId = options.nodeId ?? newId(world, 'node')
    const log = withFields(options.log ?? silentLogger, { node: this.nodeId })
    this.cache = new ReadCache({ store, world, indexes, log })
    this.runtime = new Runtime({
      ...{ controllers, store, cache: this.cache, world, metrics, log, tracing: options.tracing },
      ...(options.resyncEvery !== undefined && { resyncEvery: options.resyncEvery }),
      ...(options.Queue && { Queue: options.Queue }),
    })
    this.keeper = new ShardKeeper({
      ...{ leases: store.leases, world, nodeId: this.nodeId, user: this.runtime, log },
      alsoWant: [maintenanceLease],
      onRound: () => this.runtime.noticeResume(),
      ...(options.leaseTtl !== undefined && { ttl: options.leaseTtl }),
      ...(options.renewEvery !== undefined && { renewEvery: options.renewEvery }),
    })
    this.registerMetrics(metrics)
    this.loaded = this.cache.start()
    this.loaded.then(
      () => this.work(),
      () => {},
    )
    const isMine = () => this.keeper.holds(maintenanceLease)
    this.maintenance = maintain(
      { store, world, log, isMine, ...(options.retention && { retention: options.retention }) },
      this.stopping.signal,
    )
  }

  async commit(changeSet: ChangeSet, { timeout = commitTimeout }: CommitOptions = {}): Promise<Committed> {
    const { store, world } = this.options
    const deadline = world.monotonic() + timeout
    const committed = await store.commit(changeSet, { timeout })
    await this.reachBy(committed.revision, deadline)
    return committed
  }

  ready(): Readiness {
    const reasons: string[] = []
    const lag = this.cache.lag()
    if (this.stopping.signal.aborted) reasons.push('it is stopping')
    if (!this.cache.loaded) reasons.push('objects are still being loaded')
    else if (lag > tooFarBehind) reasons.push(`its view of the store may be ${Math.round(lag / 1_000)} s old`)
    return { ready: reasons.length === 0, reasons }
  }

  shards(): readonly number[] {
    return this.keeper.held()
  }

  describe(): NodeDescription {
    return {
      ...this.ready(),
      nodeId: this.nodeId,
      revision: this.cache.revision,
      lag: this.cache.lag(),
      objects: this.cache.size,
      shards: this.shards(),
      controllers: this.runtime.state(),
      stuck: this.runtime.stuck(mostStuck),
    }
  }

  async resume(): Promise<void> {
    await this.options.store.resume()
    this.runtime.noticeResume()
  }

  stop(): Promise<void> {
    this.stopped ??= this.end()
    return this.stopped
  }

  private work(): void {
    if (this.stopping.signal.aborted) return
    this.runtime.start(this.keeper)
    this.keeper.start()
  }

  /** Leases are renewed until nothing runs any more; only then may another node have the shards. */
  private async end(): Promise<void> {
    this.stopping.abort()
    await this.runtime.stop()
    await Promise.all([this.keeper.stop(), this.maintenance])
    await this.cache.stop()
  }

  /** It is committed; but a node that answered a write must not answer a read with less, so it rather does not answer. */
  private async reachBy(revision: Revision, deadline: number): Promise<void> {
    if (this.cache.revision >= revision) return
    const { world } = this.options
    const tooLate = new AbortController()
    const why = new UnavailableError(`committed at revision ${revision}, which this node cannot read yet`)
    const timer = world.setTimer(millis(deadline - world.monotonic()), () => tooLate.abort(why))
    await this.cache.reached(revision, tooLate.signal).finally(() => timer.cancel())
  }

  private registerMetrics(metrics: MetricsRegistry): void {
    const revision = metrics.gauge('stead_cache_revision', 'The revision this node reads at')
    const objects = metrics.gauge('stead_cache_objects', 'Objects in memory')
    const lag = metrics.gauge('stead_cache_lag_seconds', 'How long ago the cache was last known to be current')
    const shards = metrics.gauge('stead_shards_held', 'Shards whose keys this node reconciles')
    metrics.beforeExposition(() => {
      revision.set(this.cache.revision)
      objects.set(this.cache.size)
      lag.set(this.cache.lag() / 1_000)
      shards.set(this.keeper.held().length)
      this.runtime.refreshMetrics()
    })
  }
}
