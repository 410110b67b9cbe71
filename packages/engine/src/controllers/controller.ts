import type { Duration, World } from '@stead/world'
import type { CacheChange } from '../cache/contents.ts'
import type { View } from '../cache/view.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import type { Kind } from '../words/kind.ts'
import type { Logger } from '../words/logger.ts'
import type { Ref, StoredObject } from '../words/object.ts'
import type { Result } from '../words/result.ts'
import type { SpanContext, Tracing } from '../words/tracing.ts'

/** One call to something outside the store. */
export interface OutsideCall {
  /** Short and fixed, e.g. `launch`: it names a metric. */
  readonly name: string
  /** Whether it changes anything there. Such a call is refused while the store only observes. */
  readonly mutates: boolean
  readonly deadline: Duration
}

/** All that a reconcile may touch. */
export interface ReconcileContext {
  readonly cache: View
  readonly world: World
  /** Aborted when the key's shard goes to another node, or this node goes down. */
  readonly signal: AbortSignal
  /** Aborted before that, when there is still time to end well. For what only waits for something to happen. */
  readonly leaving: AbortSignal
  readonly log: Logger
  readonly observeOnly: boolean
  /**
   * Commits under the fence of the key's shard, and resolves once this node reads what was written: the next reconcile
   * never sees older state. A conflict that is not caught ends the reconcile; it runs again when the cache has seen
   * what it ran into.
   */
  commit(changeSet: ChangeSet): Promise<Committed>
  /**
   * The only door to the world outside. The signal is aborted at the deadline, and always before the lease of the shard
   * can have run out: whoever takes the shard over finds no call of ours under way.
   */
  outside<T>(call: OutsideCall, perform: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** How reconciles become part of the traces of those who asked for what they do. */
export interface ReconcileTracing {
  readonly tracing: Tracing
  /** For whom an object is reconciled now, as far as that is recorded. Asked before each reconcile: in constant time. */
  of(object: StoredObject, cache: View): SpanContext | undefined
}

/** Which objects of another kind wake which keys. */
export interface Wake {
  readonly kind: string
  /** Ids of the controller's kind. Constant time per id: through an edge or an index, never by looking at everything. */
  keys(change: CacheChange, about: { readonly kind: string; readonly cache: View }): Iterable<string>
}

export interface Controller<T extends StoredObject = StoredObject> {
  /** Unique; names log lines and metrics. */
  readonly name: string
  /** A key is an object of this kind. Any change of it wakes the key. */
  readonly kind: Kind<T> | string
  readonly wakes?: readonly Wake[]
  /** How many keys run at once. Default 32: they mostly wait. */
  readonly concurrency?: number
  /** The condition that shows a parked object. A second controller of the same kind needs another. */
  readonly parkedCondition?: string
  /** Whether it looks at everything again after each write of its own before it answers: then these do not wake it. */
  readonly looksAgain?: boolean
  /** Makes what is agree with what is wanted. Woken for whatever reason, it looks at everything. */
  reconcile(object: T, context: ReconcileContext): Promise<Result> | Result
  /** The object is gone. For what was kept in memory about it. */
  forgotten?(ref: Ref): Promise<void> | void
}

/** Gives `reconcile` the type of its objects. */
export const controller = <T extends StoredObject>(definition: Controller<T>): Controller => definition

/** A change of an object wakes its owner, and its former owner when it changes hands. */
export const owned = (kind: string): Wake => ({
  kind,
  keys({ object, previous }, about) {
    const owners = [object.owner, previous?.owner].filter(owner => owner?.kind === about.kind)
    return new Set(owners.map(owner => owner!.id))
  },
})
