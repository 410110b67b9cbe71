import type { Duration, Instant } from '@stead/world'
import type { ChangeSet, Committed } from './change-set.ts'
import type { Leases } from './lease.ts'
import type { LogEntry } from './log.ts'
import type { Ref, Revision, StoredObject } from './object.ts'
import type { Series } from './series.ts'

export interface StoreIdentity {
  /** Random, made with the store; travels with a copy. */
  readonly storeId: string
  /** Moves when a store is restored or found to be a copy. */
  readonly epoch: number
  /** A restored or copied store changes nothing outside until an operator resumes it. */
  readonly observeOnly: boolean
}

export interface Counter {
  readonly counter: string
  readonly value: number
  readonly limit: number | null
}

export interface StoredRecord {
  /** Strictly growing in commit order within the store. */
  readonly sequence: number
  readonly at: Instant
  readonly table: string
  readonly subject: string
  readonly scope: string
  readonly body: unknown
}

export interface RecordQuery {
  readonly table: string
  /** Named always: a tenant's records can't be asked for without naming the tenant. */
  readonly scope: string
  readonly subject?: string
  /** Only records with a greater sequence (oldest first) … */
  readonly after?: number
  /** … or with a smaller one (newest first). Neither: newest first. */
  readonly before?: number
  readonly limit: number
}

/** "Last used at" and the like: last write wins, no log, no durability promise beyond the next few seconds. */
export interface Mark {
  readonly mark: string
  readonly at: Instant
  readonly value: string
}

export interface CommitOptions {
  /** How long the caller can wait, over reconnects and lost answers. Default 10 s. */
  readonly timeout?: Duration
}

/** Everything at one revision, in chunks. */
export interface Snapshot {
  readonly revision: Revision
  readonly objects: AsyncIterable<readonly StoredObject[]>
}

/** What an operator wants to know of a store: where it is, how it fares. Nothing secret is in it. */
export interface StoreDescription {
  readonly database: string
  /** Of the database's own software. */
  readonly version: string
  /** Change-sets that wait to be written. */
  readonly waitingCommits: number
  /** What is not as it should be, each a sentence. */
  readonly warnings: readonly string[]
}

/**
 * The one interface both databases implement and the conformance suite pins.
 * Objects are read through the cache, which loads a snapshot and follows the log; a store has no query of its own for them.
 */
export interface Store {
  readonly identity: StoreIdentity
  readonly leases: Leases
  readonly series: Series

  /** The one write operation. Resolves once durable. Rejects with ConflictError, InvalidChangeSetError or UnavailableError. */
  commit(changeSet: ChangeSet, options?: CommitOptions): Promise<Committed>
  /** Whether the change-set with this id applied. */
  outcome(changeSetId: string): Promise<Committed | undefined>

  snapshot(): Promise<Snapshot>
  /** The last revision this node knows to be committed. */
  head(): Revision
  /**
   * When, by this node's monotonic clock, `head` was last known to be the newest of all. A store that only this process
   * writes always knows, and leaves it out; others answer the time at which they last asked and were answered.
   */
  headAsOf?(): Duration
  /**
   * Every entry after `after`, each once, in order, without holes, for ever. Entries come in batches as they are there.
   * Throws GoneError when `after` is behind the compaction point, at the start or later for a watcher that is too slow.
   */
  watch(after: Revision, signal: AbortSignal): AsyncIterable<readonly LogEntry[]>
  /** Forgets the log up to and including this revision. Objects stay. */
  compact(through: Revision): Promise<void>
  /** The newest revision no longer in the log. */
  compacted(): Promise<Revision>
  /** The newest revision committed at or before this moment: how compaction turns an age into a revision. */
  revisionAt(moment: Instant): Promise<Revision>

  keyHolder(key: string): Promise<string | undefined>
  counters(prefix: string): Promise<readonly Counter[]>
  records(query: RecordQuery): Promise<readonly StoredRecord[]>
  blob(owner: Ref, hash: string): Promise<Uint8Array | undefined>
  setMarks(marks: readonly Mark[]): Promise<void>
  marks(names: readonly string[]): Promise<readonly Mark[]>

  /** Removes records of a table older than `before`, at most `limit`; answers how many. */
  expireRecords(request: { readonly table: string; readonly before: Instant; readonly limit: number }): Promise<number>
  /** Forgets change-set ids older than `before`, at most `limit`; answers how many. */
  expireOutcomes(request: { readonly before: Instant; readonly limit: number }): Promise<number>

  /** Ends observe-only mode. */
  resume(): Promise<void>
  /** How it is at this moment, as far as this node knows without asking. */
  describe(): StoreDescription
  close(): Promise<void>
}
