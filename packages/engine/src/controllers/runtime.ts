import { type Duration, minutes, seconds, type World } from '@stead/world'
import type { CacheEntry, ReadCache } from '../cache/cache.ts'
import { changeSet } from '../change-set-builder.ts'
import type { Metrics } from '../metrics/index.ts'
import { ConflictError } from '../words/errors.ts'
import type { Logger } from '../words/logger.ts'
import type { Store } from '../words/store.ts'
import type { Controller, ReconcileTracing, Wake } from './controller.ts'
import { ShardLostError, StoppingError } from './errors.ts'
import { LoopBudget } from './loop-budget.ts'
import type { WorkQueue } from './queue.ts'
import { resync } from './resync.ts'
import { Runner, type ShardHolder } from './runner.ts'
import { controllerMetrics, outsideMetrics } from './runtime-metrics.ts'
import type { ShardUser } from './shard-keeper.ts'
import { allShards, type Fence, shardLease, shardOf } from './shards.ts'
import type { ControllerState, StuckObject } from './state.ts'

export interface RuntimeOptions {
  readonly controllers: readonly Controller[]
  readonly store: Store
  readonly cache: ReadCache
  readonly world: World
  readonly metrics: Metrics
  readonly log: Logger
  readonly resyncEvery?: Duration
  readonly tracing?: ReconcileTracing | undefined
  readonly Queue?: typeof WorkQueue
}

/** How long what runs may take to end by itself, when a shard is handed over or the node stops. */
const patience = seconds(7)
/** How long what was told to end may take to do so. */
const graceAfterAbort = seconds(2)

/** All controllers of a node: hears every change and wakes whom it concerns, for the shards this node holds. */
export class Runtime implements ShardUser, ShardHolder {
  private readonly options: RuntimeOptions
  private readonly runners: readonly Runner[]
  private readonly wakesByKind: ReadonlyMap<string, readonly { runner: Runner; wake: Wake }[]>
  private readonly runnersByKind: ReadonlyMap<string, readonly Runner[]>
  /** Shards whose keys are in the queues. A shard just gained is not, until this node has read what others wrote for it. */
  private readonly takenUp = new Set<number>()
  private readonly stopping = new AbortController()
  private shards: ShardHolder = { accepts: () => false, fence: () => undefined }
  private wasObserveOnly: boolean

  constructor(options: RuntimeOptions) {
    this.options = options
    checkControllers(options.controllers)
    const { store, cache, world, log, metrics, tracing, Queue } = options
    const budget = new LoopBudget(world)
    const outside = outsideMetrics(metrics)
    this.runners = options.controllers.map(
      controller =>
        new Runner({
          controller,
          store,
          cache,
          world,
          budget,
          log,
          outside,
          tracing,
          shards: this,
          metrics: controllerMetrics(metrics, controller.name),
          ...(Queue && { Queue }),
        }),
    )
    this.runnersByKind = Map.groupBy(this.runners, runner => runner.kind)
    const wakes = options.controllers.flatMap(({ wakes = [] }, index) =>
      wakes.map(wake => ({ runner: this.runners[index]!, wake })),
    )
    this.wakesByKind = Map.groupBy(wakes, ({ wake }) => wake.kind)
    this.wasObserveOnly = store.identity.observeOnly
  }

  /** Begins to hear changes. The keys come with the shards. */
  start(shards: ShardHolder): void {
    const { cache, world, resyncEvery = minutes(10) } = this.options
    this.shards = shards
    const unsubscribe = cache.onChange(entry => this.hear(entry))
    this.stopping.signal.addEventListener('abort', unsubscribe, { once: true })
    for (const runner of this.runners)
      void resync({ runner, cache, world, period: resyncEvery, signal: this.stopping.signal })
  }

  /** Starts nothing more, waits for what runs, then tells it to end. The shards can be released after that. */
  async stop(): Promise<void> {
    this.stopping.abort(new StoppingError())
    for (const { queue } of this.runners) queue.close()
    await this.wind(new Set(allShards), () => new StoppingError())
  }

  accepts(shard: number): boolean {
    return this.takenUp.has(shard) && this.shards.accepts(shard)
  }

  fence(shard: number) {
    return this.shards.fence(shard)
  }

  gained(shards: readonly number[]): void {
    void this.takeUp(shards)
  }

  lost(shards: readonly number[]): void {
    const gone = new Set(shards)
    for (const shard of shards) this.takenUp.delete(shard)
    for (const runner of this.runners) {
      runner.drop(gone)
      runner.abort(gone, shard => new ShardLostError(shard))
    }
  }

  async drain(shard: number): Promise<void> {
    this.takenUp.delete(shard)
    await this.wind(new Set([shard]), () => new ShardLostError(shard))
  }

  /** Looks whether the store has been resumed, by whomever. */
  noticeResume(): void {
    const { observeOnly } = this.options.store.identity
    if (this.wasObserveOnly && !observeOnly) for (const runner of this.runners) runner.wakeObservers()
    this.wasObserveOnly = observeOnly
  }

  refreshMetrics(): void {
    for (const runner of this.runners) runner.refreshMetrics()
  }

  state(): readonly ControllerState[] {
    return this.runners.map(runner => runner.state())
  }

  /** So many of those that do not come on by themselves. */
  stuck(most: number): readonly StuckObject[] {
    const found: StuckObject[] = []
    for (const runner of this.runners)
      for (const object of runner.stuck()) {
        if (found.length === most) return found
        found.push(object)
      }
    return found
  }

  private hear({ revision, changes, isSum }: CacheEntry): void {
    // A sum has changes of others in it even when its revision is one that a run here made.
    const cause = isSum ? undefined : revision
    for (const change of changes) {
      const { kind, id } = change.object
      for (const runner of this.runnersByKind.get(kind) ?? []) runner.wake(id, 'live', cause)
      for (const { runner, wake } of this.wakesByKind.get(kind) ?? []) runner.wakeBy(wake, change, cause)
    }
  }

  /**
   * An empty change-set under the new fences answers the log's head: everything an earlier holder could still write
   * comes before it, or is refused. Once the cache is there, nothing that is decided here is older than what was done.
   */
  private async takeUp(gained: readonly number[]): Promise<void> {
    const { store, cache, world, log } = this.options
    const { signal } = this.stopping
    let shards = gained
    while (!signal.aborted) {
      const fences = this.fencesOf(shards)
      if (fences.size === 0) return
      try {
        const { revision } = await store.commit({ ...changeSet(world), expect: [...fences.values()] })
        await cache.reached(revision, signal)
        const now = this.fencesOf(shards)
        return this.enqueueAll(
          [...fences].flatMap(([shard, { fence }]) => (now.get(shard)?.fence === fence ? shard : [])),
        )
      } catch (error) {
        if (signal.aborted) return
        log.warn({ error, shards }, 'shards could not be taken up yet')
        const taken = error instanceof ConflictError && error.conflict.type === 'fence' && error.conflict.lease
        shards = shards.filter(shard => shardLease(shard) !== taken)
        await world.sleep(seconds(1), signal).catch(() => {})
      }
    }
  }

  private fencesOf(shards: readonly number[]): Map<number, Fence> {
    const fences = new Map<number, Fence>()
    for (const shard of shards) {
      const fence = this.shards.fence(shard)
      if (fence) fences.set(shard, fence)
    }
    return fences
  }

  private enqueueAll(shards: readonly number[]): void {
    const taken = new Set(shards)
    for (const shard of shards) this.takenUp.add(shard)
    for (const runner of this.runners)
      for (const object of this.options.cache.platform().list({ kind: runner.kind }).items)
        if (taken.has(shardOf(object))) runner.wake(object.id, 'resync')
  }

  /** Lets what runs end by itself, then tells it to. */
  private async wind(shards: ReadonlySet<number>, reason: (shard: number) => Error): Promise<void> {
    for (const runner of this.runners) {
      runner.drop(shards)
      runner.hurry(shards)
    }
    const ended = Promise.all(this.runners.map(runner => runner.ended(shards)))
    if (await this.within(patience, ended)) return
    for (const runner of this.runners) runner.abort(shards, reason)
    if (await this.within(graceAfterAbort, ended)) return
    this.options.log.warn(
      { shards: [...shards] },
      'some reconciles do not listen to their signal: not waiting for them',
    )
  }

  private within(limit: Duration, ended: Promise<unknown>): Promise<boolean> {
    return new Promise(resolve => {
      const timer = this.options.world.setTimer(limit, () => resolve(false))
      void ended.then(() => {
        timer.cancel()
        resolve(true)
      })
    })
  }
}

function checkControllers(controllers: readonly Controller[]): void {
  const names = new Set(controllers.map(({ name }) => name))
  if (names.size < controllers.length) throw new Error('two controllers have the same name')
  const conditions = new Set(controllers.map(({ kind, parkedCondition = 'Parked' }) => `${kind}/${parkedCondition}`))
  if (conditions.size < controllers.length)
    throw new Error('two controllers of one kind would show "parked" in the same condition: set parkedCondition')
}
