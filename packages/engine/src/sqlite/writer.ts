import type { DatabaseSync } from 'node:sqlite'
import type { Instant } from '@stead/world'
import {
  type EncodedChange,
  type EncodedChangeSet,
  type EncodedObject,
  type EncodedStored,
  encodeChanges,
} from '../encoding.ts'
import type { Committed, Expectation } from '../words/change-set.ts'
import type { Conflict } from '../words/conflict.ts'
import { type Ref, type Revision, refKey, sameRef } from '../words/object.ts'
import { prepareWrites } from './statements.ts'

/** What came of one change-set in a batch. */
export type Applied =
  | { readonly conflict: Conflict }
  | { readonly committed: Committed; readonly replayed: boolean; readonly changes: readonly EncodedChange[] }

/** What deciding takes of an object that is there, and where it is. */
interface FoundObject {
  readonly place: number
  readonly revision: Revision
  readonly generation: number
  readonly spec: string
}
type FoundObjects = Map<string, FoundObject | undefined>

/**
 * The write path, synchronous and single-threaded: begin, apply many, commit. Durable when `commit` returns.
 * Each change-set is checked whole before its first write, so a conflict leaves no trace and needs no savepoint.
 */
export class SqliteWriter {
  protected readonly sql: ReturnType<typeof prepareWrites>
  private head: Revision
  private recordSequence: number
  private latest: Instant
  private beforeBatch: { head: Revision; recordSequence: number; latest: Instant } | undefined

  constructor(database: DatabaseSync) {
    this.sql = prepareWrites(database)
    const start = this.sql.position.get() as { head: number; latest: number; sequence: number }
    this.head = start.head
    this.latest = start.latest as Instant
    this.recordSequence = start.sequence
  }

  get revision(): Revision {
    return this.head
  }

  begin(now: Instant): void {
    this.sql.begin.run()
    this.beforeBatch = { head: this.head, recordSequence: this.recordSequence, latest: this.latest }
    // A wall clock may step back; the log's time never does, so that an age is one position in it.
    if (now > this.latest) this.latest = now
  }

  commit(): void {
    // Sequences are never used twice, even when every record they counted has been forgotten.
    if (this.recordSequence !== this.beforeBatch?.recordSequence)
      this.sql.setMeta.run('record_sequence', String(this.recordSequence))
    this.sql.commit.run()
    this.beforeBatch = undefined
  }

  /** Undoes the whole batch, after a failure that is not a conflict. */
  rollback(): void {
    if (!this.beforeBatch) return
    this.head = this.beforeBatch.head
    this.recordSequence = this.beforeBatch.recordSequence
    this.latest = this.beforeBatch.latest
    this.beforeBatch = undefined
    this.sql.rollback()
  }

  /**
   * `resent` says that an earlier sending of this id may still arrive. A conflict is written down then: what its caller
   * was told stays true, even when the earlier sending comes later and would find nothing in its way any more.
   */
  apply(set: EncodedChangeSet, resent = false): Applied {
    const earlier = this.findOutcome(set.id)
    if (earlier) return earlier
    const found: FoundObjects = new Map()
    const conflict = this.findConflict(set, found)
    if (!conflict) return this.write(set, found)
    if (resent) this.sql.insertOutcome.run(set.id, this.head, this.latest, JSON.stringify(conflict))
    return { conflict }
  }

  protected findOutcome(id: string): Applied | undefined {
    const row = this.sql.findOutcome.get(id) as { revision: number; at: number; conflict: string | null } | undefined
    if (!row) return undefined
    if (row.conflict !== null) return { conflict: JSON.parse(row.conflict) as Conflict }
    return { committed: { revision: row.revision, at: row.at as Instant }, replayed: true, changes: [] }
  }

  private read(ref: Ref, found: FoundObjects): FoundObject | undefined {
    const key = refKey(ref)
    if (!found.has(key)) found.set(key, this.sql.findObject.get(ref.kind, ref.id) as FoundObject | undefined)
    return found.get(key)
  }

  private findConflict(set: EncodedChangeSet, found: FoundObjects): Conflict | undefined {
    for (const expectation of set.expect) {
      const conflict = this.checkExpectation(expectation, found)
      if (conflict) return conflict
    }
    for (const ref of set.removes) if (!this.read(ref, found)) return { type: 'missing', ref }
    // A blob without its object would never go away.
    for (const { owner } of set.blobs)
      if (!set.puts.some(put => sameRef(put, owner)) && !this.read(owner, found)) return { type: 'missing', ref: owner }
    return this.checkKeys(set) ?? this.checkCounters(set)
  }

  protected checkExpectation(expectation: Expectation, found: FoundObjects): Conflict | undefined {
    switch (expectation.type) {
      case 'revision': {
        const actual = this.read(expectation.ref, found)?.revision ?? null
        if (actual === expectation.revision) return undefined
        return { type: 'revision', ref: expectation.ref, expected: expectation.revision, actual }
      }
      case 'absent': {
        const object = this.read(expectation.ref, found)
        return object && { type: 'absent', ref: expectation.ref, actual: object.revision }
      }
      case 'key':
        return this.checkHolder(expectation.key, expectation.holder)
      case 'fence':
        return this.checkFence(expectation.lease, expectation.fence)
    }
  }

  private checkHolder(key: string, holder: string): Conflict | undefined {
    const heldBy = this.holderOf(key)
    return heldBy === holder ? undefined : { type: 'key', key, wanted: holder, heldBy }
  }

  protected checkFence(lease: string, expected: number): Conflict | undefined {
    const actual = (this.sql.findFence.get(lease) as { fence: number } | undefined)?.fence ?? null
    return actual === expected ? undefined : { type: 'fence', lease, expected, actual }
  }

  private holderOf(key: string): string | null {
    return (this.sql.findKey.get(key) as { holder: string } | undefined)?.holder ?? null
  }

  private checkKeys({ releases, takes }: EncodedChangeSet): Conflict | undefined {
    for (const { key, holder } of releases) {
      const conflict = this.checkHolder(key, holder)
      if (conflict) return conflict
    }
    for (const { key, holder } of takes) {
      const heldBy = releases.some(released => released.key === key) ? null : this.holderOf(key)
      if (heldBy !== null) return { type: 'key', key, wanted: holder, heldBy }
    }
    return undefined
  }

  private checkCounters({ limits, moves }: EncodedChangeSet): Conflict | undefined {
    const values = new Map<string, number>()
    for (const { counter, by } of moves) {
      const row = this.sql.findCounter.get(counter) as { value: number; ceiling: number | null } | undefined
      const value = values.get(counter) ?? row?.value ?? 0
      const change = limits.findLast(changed => changed.counter === counter)
      // Unlimited is as far as numbers can be trusted.
      const limit = (change ? change.limit : row?.ceiling) ?? Number.MAX_SAFE_INTEGER
      if (by > 0 && value + by > limit) return { type: 'limit', counter, limit, value, asked: by }
      if (value + by < 0) return { type: 'underflow', counter, value, asked: by }
      values.set(counter, value + by)
    }
    return undefined
  }

  private write(set: EncodedChangeSet, found: FoundObjects): Applied {
    const { sql } = this
    const at = this.latest
    const changes = this.writeObjects(set, found)
    if (changes.length > 0) sql.appendLog.run(this.head, at, encodeChanges(changes))
    for (const { key } of set.releases) sql.deleteKey.run(key)
    for (const { key, holder } of set.takes) sql.insertKey.run(key, holder)
    for (const { counter, limit } of set.limits) sql.setLimit.run(counter, limit)
    for (const { counter, by } of set.moves) sql.moveCounter.run(counter, by)
    for (const { table, scope, subject, body } of set.records)
      sql.insertRecord.run(table, ++this.recordSequence, at, scope, subject, body)
    for (const { owner, hash } of set.dropBlobs) sql.deleteBlob.run(owner.kind, owner.id, hash)
    for (const { owner, hash, sealed } of set.blobs) sql.putBlob.run(owner.kind, owner.id, hash, sealed)
    sql.insertOutcome.run(set.id, this.head, at, null)
    return { committed: { revision: this.head, at }, replayed: false, changes }
  }

  private writeObjects(set: EncodedChangeSet, found: FoundObjects): EncodedChange[] {
    if (set.puts.length + set.removes.length === 0) return []
    const revision = this.nextRevision()
    const changes: EncodedChange[] = []
    for (const ref of set.removes) {
      const removed = this.sql.deleteObject.get(this.read(ref, found)!.place) as unknown as EncodedStored
      this.sql.deleteBlobs.run(ref.kind, ref.id)
      changes.push({ op: 'remove', ...removed })
    }
    for (const { kind, id, spec, rest } of set.puts) {
      const before = this.read({ kind, id }, found)
      const generation = this.put({ kind, id, spec, rest }, before, revision)
      changes.push({ op: 'put', kind, id, revision, generation, spec, rest })
    }
    return changes
  }

  /** Answers the object's generation, which moves with its spec. Most changes are of status and leave spec alone. */
  private put({ kind, id, spec, rest }: EncodedObject, before: FoundObject | undefined, revision: Revision): number {
    if (!before) {
      this.sql.insertObject.run(kind, id, revision, 1, spec, rest)
      return 1
    }
    if (before.spec === spec) {
      this.sql.updateRest.run(revision, rest, before.place)
      return before.generation
    }
    const generation = before.generation + 1
    this.sql.updateObject.run(revision, generation, spec, rest, before.place)
    return generation
  }

  protected nextRevision(): Revision {
    this.head += 1
    return this.head
  }
}
