import { DatabaseSync } from 'node:sqlite'
import { type Instant, millis, type World } from '@stead/world'
import { decodeEntry, decodeObject, encodeChangeSet, makeEntry } from '../encoding.ts'
import { LogTail } from '../log/tail.ts'
import { SqliteReader } from '../sqlite/reader.ts'
import { migrations } from '../sqlite/schema.ts'
import { SqliteSeriesReader, SqliteSeriesWriter } from '../sqlite/series.ts'
import { SqliteUpkeep } from '../sqlite/upkeep.ts'
import { SqliteWriter } from '../sqlite/writer.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import { ConflictError, UnavailableError } from '../words/errors.ts'
import type { LeaseRequest, Leases } from '../words/lease.ts'
import type { LogEntry } from '../words/log.ts'
import type { Ref, Revision, StoredObject } from '../words/object.ts'
import type { Series } from '../words/series.ts'
import type { Mark, RecordQuery, Snapshot, Store, StoreDescription, StoreIdentity } from '../words/store.ts'

/**
 * The real SQL on a database in memory, without the thread and the disk: a store for tests on a virtual clock.
 * Every answer takes a millisecond. It can be away, and it can hold back the log.
 */
export class InProcessStore implements Store {
  identity: StoreIdentity = { storeId: 'store_test', epoch: 1, observeOnly: false }
  readonly leases: Leases
  readonly series: Series
  /** How often each thing was asked of it. */
  readonly calls: Record<string, number> = {}
  private readonly world: World
  private readonly writer: SqliteWriter
  private readonly reader: SqliteReader
  private readonly upkeep: SqliteUpkeep
  private readonly tail: LogTail
  private present = new AbortController()
  private heldBack: LogEntry[] | undefined

  constructor(world: World) {
    const database = new DatabaseSync(':memory:')
    for (const migration of migrations) database.exec(migration)
    this.world = world
    this.writer = new SqliteWriter(database)
    this.reader = new SqliteReader(database)
    this.upkeep = new SqliteUpkeep(database)
    const [stored, storing] = [new SqliteSeriesReader(database), new SqliteSeriesWriter(database)]
    this.series = {
      put: pieces => this.ask('putSeries', () => storing.put(pieces)),
      read: query => this.ask('series', () => stored.read(query)),
      subjects: page => this.ask('seriesSubjects', () => stored.subjects(page)),
      remove: subjects => this.ask('removeSeries', () => storing.remove(subjects)),
      expire: request => this.ask('expireSeries', () => storing.expire(request)),
    }
    this.tail = new LogTail({
      head: 0,
      compacted: 0,
      readLog: async (after, limit) => ({
        compacted: this.reader.compacted(),
        entries: this.reader.log(after, limit).map(decodeEntry),
      }),
    })
    this.leases = {
      acquire: (request: LeaseRequest) => this.ask('acquire', () => this.upkeep.acquire(request, world.now())),
      renew: (request: LeaseRequest) => this.ask('renew', () => this.upkeep.renew(request, world.now())),
      release: leases => this.ask('release', () => this.upkeep.release(leases)),
      list: () => this.ask('list', () => this.upkeep.leases(world.now())),
    }
  }

  /** Nothing answers and every watch breaks, until the answered function is called. */
  goAway(): () => void {
    this.present.abort()
    return () => {
      this.present = new AbortController()
    }
  }

  /** Watchers see nothing of what is committed, until the answered function is called. */
  holdBackLog(): () => void {
    const held: LogEntry[] = []
    this.heldBack = held
    return () => {
      this.heldBack = undefined
      this.tail.append(held)
    }
  }

  async commit(set: ChangeSet): Promise<Committed> {
    const encoded = encodeChangeSet(set)
    const applied = await this.ask('commit', () => {
      this.writer.begin(this.world.now())
      const result = this.writer.apply(encoded)
      this.writer.commit()
      return result
    })
    if ('conflict' in applied) throw new ConflictError(applied.conflict)
    const { committed, changes, replayed } = applied
    if (changes.length > 0 && !replayed) {
      const entries = [makeEntry(committed.revision, committed.at, changes)]
      if (this.heldBack) this.heldBack.push(...entries)
      else this.tail.append(entries)
    }
    await this.world.sleep(millis(1))
    return committed
  }

  outcome(id: string) {
    return this.ask('outcome', () => this.reader.outcome(id))
  }

  async snapshot(): Promise<Snapshot> {
    return this.ask('snapshot', () => ({
      revision: this.reader.head(),
      objects: inChunks(this.reader.objects(0, Number.MAX_SAFE_INTEGER).map(decodeObject)),
    }))
  }

  head(): Revision {
    return this.writer.revision
  }

  async *watch(after: Revision, signal: AbortSignal): AsyncGenerator<readonly LogEntry[]> {
    const present = this.present.signal
    yield* this.tail.watch(after, AbortSignal.any([signal, present]))
    if (present.aborted) throw new UnavailableError('away')
  }

  compact(through: Revision) {
    return this.ask('compact', () => {
      this.upkeep.compact(through)
      this.tail.compactedThrough(this.reader.compacted())
    })
  }

  compacted() {
    return this.ask('compacted', () => this.reader.compacted())
  }

  revisionAt(moment: Instant) {
    return this.ask('revisionAt', () => this.reader.revisionAt(moment))
  }

  keyHolder(key: string) {
    return this.ask('keyHolder', () => this.reader.keyHolder(key))
  }

  counters(prefix: string) {
    return this.ask('counters', () => this.reader.counters(prefix))
  }

  async records(query: RecordQuery) {
    const rows = await this.ask('records', () => this.reader.records(query))
    return rows.map(row => ({ ...row, table: query.table, scope: query.scope, body: JSON.parse(row.body) }))
  }

  blob(owner: Ref, hash: string) {
    return this.ask('blob', () => this.reader.blob(owner, hash))
  }

  setMarks(marks: readonly Mark[]) {
    return this.ask('setMarks', () => this.upkeep.setMarks(marks))
  }

  marks(names: readonly string[]) {
    return this.ask('marks', () => this.reader.marks(names))
  }

  expireRecords(request: { table: string; before: Instant; limit: number }) {
    return this.ask('expireRecords', () => this.upkeep.expireRecords(request))
  }

  expireOutcomes(request: { before: Instant; limit: number }) {
    return this.ask('expireOutcomes', () => this.upkeep.expireOutcomes(request))
  }

  describe(): StoreDescription {
    return { database: 'in process', version: '1', waitingCommits: 0, warnings: [] }
  }

  async resume(): Promise<void> {
    this.identity = { ...this.identity, observeOnly: false }
  }

  async close(): Promise<void> {
    this.tail.close()
  }

  private async ask<T>(what: string, perform: () => T): Promise<T> {
    this.calls[what] = (this.calls[what] ?? 0) + 1
    await this.world.sleep(millis(1))
    if (this.present.signal.aborted) throw new UnavailableError('away')
    return perform()
  }
}

async function* inChunks(objects: readonly StoredObject[]): AsyncGenerator<readonly StoredObject[]> {
  for (let from = 0; from < objects.length; from += 100) yield objects.slice(from, from + 100)
}
