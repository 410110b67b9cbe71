import type { DatabaseSync } from 'node:sqlite'
import type { Instant } from '@stead/world'
import type { EncodedChangeSet, EncodedStored } from '../encoding.ts'
import type { Conflict } from '../words/conflict.ts'
import type { Lease, LeaseRequest } from '../words/lease.ts'
import type { Revision } from '../words/object.ts'
import type { SeriesPiece } from '../words/series.ts'
import type { Mark } from '../words/store.ts'
import { endObserveOnly } from './identity.ts'
import { SqliteReader } from './reader.ts'
import { SqliteSeriesWriter } from './series.ts'
import { type ThreadFailure, threadFailure } from './thread-failure.ts'
import { SqliteUpkeep } from './upkeep.ts'
import { type Applied, SqliteWriter } from './writer.ts'

/** Entries forgotten in one transaction: a few milliseconds, so that compaction never shows in a commit's latency. */
const compactionStep = 500

/** Everything besides change-sets that must pass the one writer, in order with them. */
function writerCalls(database: DatabaseSync) {
  const upkeep = new SqliteUpkeep(database)
  const reader = new SqliteReader(database)
  const series = new SqliteSeriesWriter(database)
  return {
    acquireLeases: (now: Instant, request: LeaseRequest) => upkeep.acquire(request, now),
    renewLeases: (now: Instant, request: LeaseRequest) => upkeep.renew(request, now),
    releaseLeases: (_now: Instant, leases: readonly Lease[]) => upkeep.release(leases),
    listLeases: (now: Instant) => upkeep.leases(now),
    setMarks: (_now: Instant, marks: readonly Mark[]) => upkeep.setMarks(marks),
    compact: (_now: Instant, through: Revision) => upkeep.compact(through, compactionStep),
    expireRecords: (_now: Instant, request: Parameters<SqliteUpkeep['expireRecords']>[0]) =>
      upkeep.expireRecords(request),
    expireOutcomes: (_now: Instant, request: Parameters<SqliteUpkeep['expireOutcomes']>[0]) =>
      upkeep.expireOutcomes(request),
    putSeries: (_now: Instant, pieces: readonly SeriesPiece[]) => series.put(pieces),
    removeSeries: (_now: Instant, subjects: readonly string[]) => series.remove(subjects),
    expireSeries: (_now: Instant, request: Parameters<SqliteSeriesWriter['expire']>[0]) => series.expire(request),
    /** Here and not with the reads: it must come after every change-set that was sent before it. */
    outcome: (_now: Instant, changeSetId: string) => reader.outcome(changeSetId),
    resume: () => endObserveOnly(database),
  }
}

type Calls = ReturnType<typeof writerCalls>
export type WriterMethod = keyof Calls
type DropFirst<Args extends unknown[]> = Args extends [unknown, ...infer Rest] ? Rest : []
export type WriterArgs<Method extends WriterMethod> = DropFirst<Parameters<Calls[Method]>>
export type WriterResult<Method extends WriterMethod> = ReturnType<Calls[Method]>

export interface WriterCall<Method extends WriterMethod = WriterMethod> {
  readonly method: Method
  readonly args: WriterArgs<Method>
}

/** What the main thread sends: change-sets for one transaction, and calls to make after it. */
export interface Batch {
  /** The store's clock: the worker has none of its own. */
  readonly now: Instant
  readonly sets: readonly EncodedChangeSet[]
  readonly calls: readonly WriterCall[]
}

/** What came of one change-set. The sender still has the documents it sent, so they do not travel back. */
export type SetAnswer =
  | { readonly conflict: Conflict }
  | {
      readonly revision: Revision
      readonly at: Instant
      readonly replayed: boolean
      readonly generations: readonly number[]
      readonly removed: readonly EncodedStored[]
    }

export interface BatchAnswer {
  /** One for each change-set, or why none of them was written. */
  readonly sets: readonly SetAnswer[] | ThreadFailure
  readonly calls: readonly ({ readonly value: unknown } | ThreadFailure)[]
}

/** Does what a batch says. Everything in the answer is durable by the time it is given. */
export class BatchRunner {
  private readonly writer: SqliteWriter
  private readonly calls: Calls

  constructor(database: DatabaseSync) {
    this.writer = new SqliteWriter(database)
    this.calls = writerCalls(database)
  }

  run({ now, sets, calls }: Batch): BatchAnswer {
    return {
      sets: sets.length === 0 ? [] : this.commit(now, sets),
      calls: calls.map(call => this.call(now, call)),
    }
  }

  private commit(now: Instant, sets: readonly EncodedChangeSet[]): readonly SetAnswer[] | ThreadFailure {
    try {
      this.writer.begin(now)
      const answers = sets.map(set => answerOf(this.writer.apply(set)))
      this.writer.commit()
      return answers
    } catch (error) {
      this.writer.rollback()
      return threadFailure(error)
    }
  }

  private call(now: Instant, { method, args }: WriterCall): { value: unknown } | ThreadFailure {
    try {
      const run = this.calls[method] as (now: Instant, ...args: unknown[]) => unknown
      return { value: run(now, ...args) }
    } catch (error) {
      return threadFailure(error)
    }
  }
}

function answerOf(applied: Applied): SetAnswer {
  if ('conflict' in applied) return applied
  const { committed, replayed, changes } = applied
  const generations: number[] = []
  const removed: EncodedStored[] = []
  for (const change of changes) {
    if (change.op === 'put') generations.push(change.generation)
    else removed.push({ ...change })
  }
  return { ...committed, replayed, generations, removed }
}
