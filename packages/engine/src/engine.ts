import { type Duration, millis, newId, seconds, type World } from '@stead/world'
import { ReadCache } from './cache/cache.ts'
import type { Index } from './cache/kind-table.ts'
import type { Controller } from './controllers/controller.ts'
import type { WorkQueue } from './controllers/queue.ts'
import { Runtime } from './controllers/runtime.ts'
import { ShardKeeper } from './controllers/shard-keeper.ts'
import { maintain, type Retention } from './maintenance/maintenance.ts'
import { createMetrics, type MetricsRegistry } from './metrics/index.ts'
import type { ChangeSet, Committed } from './words/change-set.ts'
import { UnavailableError } from './words/errors.ts'
import { type Logger, silentLogger, withFields } from './words/logger.ts'
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
  /** Another queue, to see whether its bugs are found. */
  readonly Queue?: typeof WorkQueue
}

export interface Readiness {
  readonly ready: boolean
  /** Why not, in words for an operator. */
  readonly reasons: readonly string[]
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
  /** Ends observe-only mode, and looks again at what was held back. */
  resume(): Promise<void>
  /** Ends what runs, gives up the shards, stops following. The store stays open. */
  stop(): Promise<void>
}

const tooFarBehind = seconds(5)
const commitTimeout = seconds(10)
const maintenanceLease = 'maintenance'

/** Starts a node: follows the store, takes its share of the shards, runs the controllers. Returns before it has loaded. */
export function startEngine(options: EngineOptions): Engine {
  const { store, world, indexes = [], metrics = createMetrics() } = options
  const nodeId = options.nodeId ?? newId(world, 'node')
  const log = withFields(options.log ?? silentLogger, { node: nodeId })
  const cache = new ReadCache({ store, world, indexes, log })
  const runtime = new Runtime({
    controllers: options.controllers ?? [],
    store,
    cache,
    world,
    metrics,
    log,
    ...(options.resyncEvery !== undefined && { resyncEvery: options.resyncEvery }),
    ...(options.Queue && { Queue: options.Queue }),
  })
  const keeper = new ShardKeeper({
    leases: store.leases,
    world,
    nodeId,
    user: runtime,
    alsoWant: [maintenanceLease],
    log,
    onRound: () => runtime.noticeResume(),
    ...(options.leaseTtl !== undefined && { ttl: options.leaseTtl }),
    ...(options.renewEvery !== undefined && { renewEvery: options.renewEvery }),
  })
  const stopping = new AbortController()
  const loaded = cache.start()
  loaded.then(
    () => {
      if (stopping.signal.aborted) return
      runtime.start(keeper)
      keeper.start()
    },
    () => {},
  )
  const maintenance = maintain(
    {
      store,
      world,
      log,
      isMine: () => keeper.holds(maintenanceLease),
      ...(options.retention && { retention: options.retention }),
    },
    stopping.signal,
  )
  registerMetrics(metrics, { cache, keeper, runtime })
  let stopped: Promise<void> | undefined
  const stop = async () => {
    stopping.abort()
    await runtime.stop()
    await Promise.all([keeper.stop(), maintenance])
    await cache.stop()
  }

  return {
    nodeId,
    cache,
    loaded,
    async commit(changeSet, commitOptions = {}) {
      const { timeout = commitTimeout } = commitOptions
      const deadline = world.monotonic() + timeout
      const committed = await store.commit(changeSet, { timeout })
      await reachWithin(cache, committed.revision, { world, limit: millis(deadline - world.monotonic()) })
      return committed
    },
    ready() {
      const reasons: string[] = []
      if (stopping.signal.aborted) reasons.push('it is stopping')
      const lag = cache.lag()
      if (!cache.loaded) reasons.push('objects are still being loaded')
      else if (lag > tooFarBehind) reasons.push(`its view of the store may be ${Math.round(lag / 1_000)} s old`)
      return { ready: reasons.length === 0, reasons }
    },
    shards: () => keeper.held(),
    async resume() {
      await store.resume()
      runtime.noticeResume()
    },
    stop: () => (stopped ??= stop()),
  }
}

/** It is committed; but a node that answered a write must not answer a read with less, so it rather does not answer. */
async function reachWithin(
  cache: ReadCache,
  revision: number,
  { world, limit }: { world: World; limit: Duration },
): Promise<void> {
  if (cache.revision >= revision) return
  const tooLate = new AbortController()
  const why = new UnavailableError(`committed at revision ${revision}, which this node cannot read yet`)
  const timer = world.setTimer(limit, () => tooLate.abort(why))
  await cache.reached(revision, tooLate.signal).finally(() => timer.cancel())
}

function registerMetrics(
  metrics: MetricsRegistry,
  { cache, keeper, runtime }: { cache: ReadCache; keeper: ShardKeeper; runtime: Runtime },
): void {
  const revision = metrics.gauge('stead_cache_revision', 'The revision this node reads at')
  const objects = metrics.gauge('stead_cache_objects', 'Objects in memory')
  const lag = metrics.gauge('stead_cache_lag_seconds', 'How long ago the cache was last known to be current')
  const shards = metrics.gauge('stead_shards_held', 'Shards whose keys this node reconciles')
  metrics.beforeExposition(() => {
    revision.set(cache.revision)
    objects.set(cache.size)
    lag.set(cache.lag() / 1_000)
    shards.set(keeper.held().length)
    runtime.refreshMetrics()
  })
}
