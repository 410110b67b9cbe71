import type { World } from '@stead/world'
import type { ReadCache } from '../cache/cache.ts'
import type { View } from '../cache/view.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import { ConflictError } from '../words/errors.ts'
import type { Logger } from '../words/logger.ts'
import type { Revision } from '../words/object.ts'
import type { Store } from '../words/store.ts'
import type { OutsideCall, ReconcileContext } from './controller.ts'
import { ShardLostError } from './errors.ts'
import { callOutside } from './outside.ts'
import type { ControllerMetrics, OutsideMetrics } from './runtime-metrics.ts'
import type { Fence } from './shards.ts'

export interface RunOptions {
  readonly store: Pick<Store, 'commit' | 'identity'>
  readonly cache: ReadCache
  readonly world: World
  readonly log: Logger
  readonly metrics: ControllerMetrics
  readonly outside: OutsideMetrics
  readonly shard: number
  /** The fence of the shard, while it is surely this node's. */
  readonly fence: () => Fence | undefined
}

/** One reconcile while it runs: what it may touch, and what it has written. */
export class ReconcileRun implements ReconcileContext {
  readonly cache: View
  readonly world: World
  readonly log: Logger
  /** Revisions that this run made. */
  readonly written = new Set<Revision>()
  /** Whether it wrote something, or asked somebody outside. */
  hasActed = false
  /** Whether the store only observed when it began: it may be resumed before it ends. */
  readonly beganObserving: boolean
  private readonly options: RunOptions
  private readonly ending = new AbortController()
  private leave: AbortController | undefined
  private isHurried = false
  /** The one it started under: a shard that left and came back belongs to another run. */
  private readonly fence: number | undefined

  constructor(options: RunOptions) {
    this.options = options
    this.cache = options.cache.platform()
    this.world = options.world
    this.log = options.log
    this.fence = options.fence()?.fence
    this.beganObserving = this.observeOnly
  }

  get shard(): number {
    return this.options.shard
  }

  get signal(): AbortSignal {
    return this.ending.signal
  }

  /** Made for those who ask: most wait for nothing. */
  get leaving(): AbortSignal {
    this.leave ??= new AbortController()
    if (this.isHurried) this.leave.abort()
    return this.leave.signal
  }

  get observeOnly(): boolean {
    return this.options.store.identity.observeOnly
  }

  hurry(): void {
    this.isHurried = true
    this.leave?.abort()
  }

  abort(reason: Error): void {
    this.hurry()
    this.ending.abort(reason)
  }

  // Bound, so that a reconcile may take out of its context what it needs: `{ commit, outside, world }`.
  readonly commit = async (set: ChangeSet): Promise<Committed> => {
    const { store, cache, metrics } = this.options
    this.hasActed = true
    const fenced: ChangeSet = { ...set, expect: [...set.expect, this.surelyOurs()] }
    const committed = await store.commit(fenced).catch(error => {
      if (error instanceof ConflictError) metrics.conflicts.add()
      throw error
    })
    // Without a change to an object the answer is the log's head, which somebody else wrote.
    if (set.puts.length + set.removes.length > 0) this.written.add(committed.revision)
    await cache.reached(committed.revision, this.signal)
    return committed
  }

  readonly outside = async <T>(call: OutsideCall, perform: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    this.surelyOurs()
    this.hasActed = true
    const { world, outside: metrics } = this.options
    return callOutside({ world, metrics, observeOnly: this.observeOnly, signal: this.signal }, call, perform)
  }

  /** A process that slept learns here, before any timer of it has fired, that its lease is over. */
  private surelyOurs(): Fence {
    this.signal.throwIfAborted()
    const fence = this.options.fence()
    if (!fence || fence.fence !== this.fence) throw new ShardLostError(this.shard)
    return fence
  }
}
