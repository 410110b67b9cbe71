import { millis, seconds, type World } from '@stead/world'
import type { ReadCache } from '../cache/cache.ts'
import type { CacheChange } from '../cache/contents.ts'
import { findCondition } from '../words/condition.ts'
import { ConflictError, UnavailableError } from '../words/errors.ts'
import { type Logger, withFields } from '../words/logger.ts'
import type { Ref, Revision, StoredObject } from '../words/object.ts'
import { park, type Result, retry } from '../words/result.ts'
import type { Store } from '../words/store.ts'
import type { Controller, ReconcileTracing, Wake } from './controller.ts'
import { DeadlineError, ObserveOnlyError, ShardLostError } from './errors.ts'
import { inTrace } from './in-trace.ts'
import type { LoopBudget } from './loop-budget.ts'
import { ParkedKeys, showParked } from './parking.ts'
import { type Ending, type Lane, WorkQueue } from './queue.ts'
import { ReconcileRun } from './reconcile-run.ts'
import type { ControllerMetrics, OutsideMetrics, ReconcileResult } from './runtime-metrics.ts'
import { type Fence, shardOf } from './shards.ts'
import type { ControllerState, StuckObject } from './state.ts'

/** What a runner asks about shards. */
export interface ShardHolder {
  /** Whether work on this shard may start here now. */
  accepts(shard: number): boolean
  fence(shard: number): Fence | undefined
}

export interface RunnerOptions {
  readonly controller: Controller
  readonly store: Pick<Store, 'commit' | 'identity'>
  readonly cache: ReadCache
  readonly world: World
  readonly budget: LoopBudget
  readonly shards: ShardHolder
  readonly log: Logger
  readonly metrics: ControllerMetrics
  readonly outside: OutsideMetrics
  readonly tracing?: ReconcileTracing | undefined
  readonly Queue?: typeof WorkQueue
}

/** How a reconcile ended, and what that is called. */
interface Reconciled {
  readonly ending: Ending
  readonly result: ReconcileResult
}

/** A conflict is no failure. Once the cache has seen what the commit ran into, the same is tried again at once … */
const soon = millis(10)
/** … and where nothing says when it could work, not more often than this. The change that helps wakes the key anyway. */
const soonEnough = millis(500)
const catchUpLimit = seconds(2)

/** Runs one controller: turns changes into keys, keys into reconciles, and their results into what happens next. */
export class Runner {
  readonly queue: WorkQueue
  private readonly options: RunnerOptions
  private readonly runs = new Map<string, ReconcileRun>()
  private readonly parked = new ParkedKeys()

  constructor(options: RunnerOptions) {
    this.options = options
    const Queue = options.Queue ?? WorkQueue
    this.queue = new Queue({
      world: options.world,
      budget: options.budget,
      concurrency: options.controller.concurrency ?? 32,
      work: (id, lane) => this.work(id, lane),
    })
  }

  get kind(): string {
    return this.options.controller.kind
  }

  wake(id: string, lane: Lane, cause?: Revision): void {
    if (this.options.shards.accepts(this.shardOf(id))) this.queue.wake(id, lane, cause)
  }

  /** A bug in a wake function costs the wakes of that change; the resync finds what was missed. */
  wakeBy(wake: Wake, change: CacheChange, cause: Revision | undefined): void {
    const { controller, cache, metrics, log } = this.options
    try {
      for (const id of wake.keys(change, { kind: controller.kind, cache: cache.platform() }))
        this.wake(id, 'live', cause)
    } catch (error) {
      metrics.panics.add()
      const { kind, id } = change.object
      log.error({ error, controller: controller.name, kind, id }, 'a wake function threw: a bug')
    }
  }

  /** Starts nothing more for these shards, and remembers nothing of them. */
  drop(shards: ReadonlySet<number>): void {
    const inShards = (id: string) => shards.has(this.shardOf(id))
    this.queue.drop(inShards)
    this.parked.drop(inShards)
  }

  /** Resolves when nothing of these shards runs. */
  ended(shards: ReadonlySet<number>): Promise<void> {
    return this.queue.ended(id => shards.has(this.shardOf(id)))
  }

  /** Tells what runs for these shards that it need not wait any longer. */
  hurry(shards: ReadonlySet<number>): void {
    for (const run of this.runs.values()) if (shards.has(run.shard)) run.hurry()
  }

  /** Tells what runs for these shards that it must end. */
  abort(shards: ReadonlySet<number>, reason: (shard: number) => Error): void {
    for (const run of this.runs.values()) if (shards.has(run.shard)) run.abort(reason(run.shard))
  }

  /** The store may act again: what was held back for that reason is looked at. */
  wakeObservers(): void {
    for (const id of this.parked.duringObservation()) this.wake(id, 'live')
  }

  state(): ControllerState {
    const { queue } = this
    return {
      name: this.options.controller.name,
      kind: this.kind,
      waiting: { live: queue.depth('live'), resync: queue.depth('resync') },
      running: queue.runningCount,
      delayed: queue.delayedCount,
      parked: this.parked.size,
      oldest: queue.oldestAge(),
    }
  }

  refreshMetrics(): void {
    const { metrics } = this.options
    const { waiting, running, delayed, parked, oldest } = this.state()
    metrics.depth.live.set(waiting.live)
    metrics.depth.resync.set(waiting.resync)
    metrics.running.set(running)
    metrics.delayed.set(delayed)
    metrics.parked.set(parked)
    metrics.oldest.set(oldest / 1_000)
  }

  /** What does not come on by itself. */
  *stuck(): Generator<StuckObject> {
    const { controller } = this.options
    const of = { kind: this.kind, controller: controller.name }
    for (const { key, failures } of this.queue.failing()) yield { ...of, id: key, state: 'failing', failures }
    for (const id of this.parked.ids()) {
      const condition = findCondition(this.read(id)?.status.conditions, controller.parkedCondition ?? 'Parked')
      if (condition) yield { ...of, id, state: 'parked', condition }
    }
  }

  private refOf(id: string): Ref {
    return { kind: this.kind, id }
  }

  private shardOf(id: string): number {
    return shardOf(this.refOf(id))
  }

  private read(id: string): StoredObject | undefined {
    return this.options.cache.platform().get(this.kind, id)
  }

  private async work(id: string, lane: Lane): Promise<Ending> {
    const shard = this.shardOf(id)
    if (!this.options.shards.accepts(shard)) return { type: 'settled' }
    const object = this.read(id)
    if (!object) return this.forget(id)
    if (lane === 'resync' && this.parked.isAsleep(object)) return { type: 'settled' }
    const { world, metrics } = this.options
    const began = world.monotonic()
    const run = this.newRun(id, shard)
    this.runs.set(id, run)
    this.parked.delete(id)
    try {
      const { tracing, controller, cache } = this.options
      if (!tracing) return (await this.reconcile(object, run)).ending
      const { name } = controller
      const about = { object, name, hasActed: () => run.hasActed }
      const traced = inTrace(tracing, cache.platform(), about, () => this.reconcile(object, run))
      return (await traced).ending
    } finally {
      this.runs.delete(id)
      metrics.duration.observe((world.monotonic() - began) / 1_000)
    }
  }

  private newRun(id: string, shard: number): ReconcileRun {
    const { store, cache, world, metrics, outside, shards, controller } = this.options
    const log = withFields(this.options.log, { controller: controller.name, kind: this.kind, id })
    return new ReconcileRun({ store, cache, world, log, metrics, outside, shard, fence: () => shards.fence(shard) })
  }

  private async reconcile(object: StoredObject, run: ReconcileRun): Promise<Reconciled> {
    const { controller, metrics } = this.options
    try {
      const result = await this.decide(object, run)
      const ownWrites = new Set(run.written)
      await showParked(run, this.read(object.id), result, controller.parkedCondition ?? 'Parked')
      metrics.results[result.type].add()
      return { ending: this.end(object.id, result, run, ownWrites), result: result.type }
    } catch (error) {
      const early = await this.endEarly(error, run)
      metrics.results[early.result].add()
      return early
    }
  }

  /** The result of the reconcile, or what its throw means. Throws on only what ends a run without a result. */
  private async decide(object: StoredObject, run: ReconcileRun): Promise<Result> {
    try {
      return await this.options.controller.reconcile(object, run)
    } catch (error) {
      if (run.signal.aborted || error instanceof ShardLostError || error instanceof ConflictError) throw error
      if (error instanceof ObserveOnlyError) return park('ObserveOnly', error.message)
      if (!isExpected(error)) this.options.metrics.panics.add()
      return retry(error)
    }
  }

  /**
   * After `done` a key is looked at once more if it wrote something, so that a controller may do one step at a time, unless it
   * has done so itself.
   * After the others it has said itself when to look again: its own writes do not wake it, or a failure that is written
   * down would never back off.
   */
  private end(id: string, result: Result, run: ReconcileRun, ownWrites: ReadonlySet<Revision>): Ending {
    switch (result.type) {
      case 'done':
        if (this.options.controller.looksAgain || run.written.size === 0) return { type: 'settled', heard: run.written }
        return { type: 'settled', heard: new Set([...run.written].filter(revision => !ownWrites.has(revision))) }
      case 'again':
        run.log.debug({ after: result.after, reason: result.reason }, 'again later')
        return { type: 'again', after: result.after, heard: run.written }
      case 'retry':
        run.log.warn({ error: result.error }, 'reconcile failed')
        return { type: 'failed', heard: run.written }
      case 'park': {
        // Resumed meanwhile: whoever wakes those that waited for that has been by already.
        if (run.beganObserving && !run.observeOnly) return { type: 'again', after: millis(0), heard: run.written }
        const parked = this.read(id)
        if (parked) this.parked.add(parked, run.beganObserving)
        return { type: 'settled', heard: run.written }
      }
    }
  }

  private async endEarly(error: unknown, run: ReconcileRun): Promise<Reconciled> {
    if (run.signal.aborted || error instanceof ShardLostError) return { ending: { type: 'settled' }, result: 'lost' }
    if (!(error instanceof ConflictError)) {
      run.log.warn({ error }, 'the end of a reconcile could not be written down')
      return { ending: { type: 'failed', heard: run.written }, result: 'retry' }
    }
    run.log.debug({ conflict: error.conflict }, 'something had changed; looking again')
    const pause = (await this.catchUp(error, run)) ? soon : soonEnough
    const after = millis(pause * (0.5 + run.world.random() / 2))
    return { ending: { type: 'again', after, heard: run.written }, result: 'conflict' }
  }

  /** Waits until the cache has seen what a commit ran into: reading the same old state again would conflict again. */
  private async catchUp({ conflict }: ConflictError, { signal, world }: ReconcileRun): Promise<boolean> {
    const seen = conflict.type === 'revision' || conflict.type === 'absent' ? conflict.actual : null
    if (seen === null) return false
    const limit = new AbortController()
    const timer = world.setTimer(catchUpLimit, () => limit.abort())
    const reached = this.options.cache.reached(seen, AbortSignal.any([signal, limit.signal]))
    return reached
      .then(
        () => true,
        () => false,
      )
      .finally(() => timer.cancel())
  }

  private async forget(id: string): Promise<Ending> {
    const { controller, metrics, log } = this.options
    this.parked.delete(id)
    try {
      await controller.forgotten?.(this.refOf(id))
    } catch (error) {
      metrics.panics.add()
      log.error({ error, controller: controller.name, kind: this.kind, id }, 'forgetting a key threw')
      return { type: 'failed' }
    }
    metrics.results.forgotten.add()
    return { type: 'settled' }
  }
}

/** Thrown by what the engine itself gives a reconcile: a store or an outside that does not answer is no bug. */
const isExpected = (error: unknown): boolean => error instanceof UnavailableError || error instanceof DeadlineError
