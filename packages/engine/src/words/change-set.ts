import type { Instant } from '@stead/world'
import type { ObjectDraft, Ref, Revision } from './object.ts'

/**
 * What must be true for a change-set to apply.
 * `fence` demands that nobody has taken the lease since: a worker that lost its shard cannot write.
 */
export type Expectation =
  | { readonly type: 'revision'; readonly ref: Ref; readonly revision: Revision }
  | { readonly type: 'absent'; readonly ref: Ref }
  | { readonly type: 'key'; readonly key: string; readonly holder: string }
  | { readonly type: 'fence'; readonly lease: string; readonly fence: number }

/** A claim on a unique key, e.g. `instance-name/<network>/<name>`, by an id. */
export interface KeyClaim {
  readonly key: string
  readonly holder: string
}

/**
 * Moves a counter. Going up past its limit fails the change-set (unlimited ends at 2⁵³ − 1); going below zero is a bug
 * and fails it too.
 */
export interface CounterMove {
  readonly counter: string
  readonly by: number
}

/** Sets a counter's limit; null is unlimited. A limit below the value is allowed: it only stops growth. */
export interface CounterLimit {
  readonly counter: string
  readonly limit: number | null
}

/** A line in a retained table: events, audit, ended operations. Ordered, outside log and cache, removed by age. */
export interface RecordDraft {
  readonly table: string
  /** What it is about, usually an object id. */
  readonly subject: string
  /** Whose it is: a project, an organization or 'platform'. Reading requires naming it. */
  readonly scope: string
  readonly body: unknown
}

/** A large or secret payload, kept sealed beside the object that owns it, which must exist, and removed with it. */
export interface BlobDraft {
  readonly owner: Ref
  /** From `Sealer.seal`: names the content without revealing it. */
  readonly hash: string
  readonly sealed: Uint8Array
}

/**
 * One write: data, not a callback, so that many share one durable transaction.
 * It applies whole or not at all. The order within is fixed: expectations are checked against the state before;
 * removes and releases come before puts and takes, so that a key may change hands in one change-set.
 */
export interface ChangeSet {
  /** Kept for a day: sending the same id again answers with the first outcome and applies nothing. */
  readonly id: string
  readonly expect: readonly Expectation[]
  readonly puts: readonly ObjectDraft<unknown, unknown>[]
  readonly removes: readonly Ref[]
  readonly takes: readonly KeyClaim[]
  /** Releasing a key that the holder does not hold fails the change-set. */
  readonly releases: readonly KeyClaim[]
  readonly moves: readonly CounterMove[]
  readonly limits: readonly CounterLimit[]
  readonly records: readonly RecordDraft[]
  readonly blobs: readonly BlobDraft[]
  readonly dropBlobs: readonly { readonly owner: Ref; readonly hash: string }[]
}

/** The answer to a commit that applied. */
export interface Committed {
  /** The log position of the change; of the log's head when the change-set changed no object. */
  readonly revision: Revision
  readonly at: Instant
}
