import type { Instant, World } from '@stead/world'
import { decodeEntry, encodeChangeSet } from '../encoding.ts'
import type { LogTail } from '../log/tail.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import type { Leases } from '../words/lease.ts'
import type { LogEntry } from '../words/log.ts'
import type { Ref, Revision } from '../words/object.ts'
import type { Series } from '../words/series.ts'
import type * as words from '../words/store.ts'
import type { BackupManifest } from './backup.ts'
import { Backups } from './backups.ts'
import { corrupt } from './failure.ts'
import { defaultTimeout } from './group-commit.ts'
import type { StoreLock } from './lock.ts'
import { takeSnapshot } from './snapshot.ts'
import type { SqliteThreads } from './threads.ts'

export interface SqliteDescription extends words.StoreDescription {
  readonly database: 'sqlite'
  readonly path: string
}

export interface SqliteStoreParts {
  readonly world: World
  readonly path: string
  readonly identity: words.StoreIdentity
  readonly threads: SqliteThreads
  readonly tail: LogTail
  readonly lock: StoreLock
  readonly failed: Promise<Error>
}

/** The store of one machine: one file, one process. Opened by `openSqliteStore`. */
export class SqliteStore implements words.Store {
  readonly leases: Leases
  readonly series: Series
  /** Resolves with the reason if the store can never serve again: the program should say it and end. */
  readonly failed: Promise<Error>
  private readonly parts: SqliteStoreParts
  private current: words.StoreIdentity
  private readonly backups = new Backups()
  private closing: Promise<void> | undefined

  constructor(parts: SqliteStoreParts) {
    this.parts = parts
    this.current = parts.identity
    this.failed = parts.failed
    const { writes, reads } = parts.threads
    this.leases = {
      acquire: request => writes.call('acquireLeases', request),
      renew: request => writes.call('renewLeases', request),
      release: leases => writes.call('releaseLeases', leases),
      list: () => writes.call('listLeases'),
    }
    this.series = {
      put: pieces => writes.call('putSeries', pieces),
      read: query => reads.call('series', query),
      subjects: page => reads.call('seriesSubjects', page),
      remove: subjects => writes.call('removeSeries', subjects),
      expire: request => writes.call('expireSeries', request),
    }
  }

  get identity(): words.StoreIdentity {
    return this.current
  }

  /** Rejects, and never throws, so that a caller has one place to look. */
  async commit(changeSet: ChangeSet, options?: words.CommitOptions): Promise<Committed> {
    return this.writes.commit(encodeChangeSet(changeSet), options?.timeout ?? defaultTimeout)
  }

  outcome(changeSetId: string): Promise<Committed | undefined> {
    return this.writes.call('outcome', changeSetId)
  }

  snapshot(): Promise<words.Snapshot> {
    return takeSnapshot({ reader: this.reads, world: this.parts.world, decode: parse => this.decode(parse) })
  }

  head(): Revision {
    return this.parts.tail.head
  }

  watch(after: Revision, signal: AbortSignal): AsyncIterable<readonly LogEntry[]> {
    return this.parts.tail.watch(after, signal)
  }

  /** In steps, with commits between them: forgetting a day of log at once would hold up writers for seconds. */
  async compact(through: Revision): Promise<void> {
    const { tail } = this.parts
    const target = Math.min(through, tail.head)
    while (tail.compacted < target) tail.compactedThrough(await this.writes.call('compact', target))
  }

  async compacted(): Promise<Revision> {
    return this.parts.tail.compacted
  }

  revisionAt(moment: Instant): Promise<Revision> {
    return this.reads.call('revisionAt', moment)
  }

  keyHolder(key: string): Promise<string | undefined> {
    return this.reads.call('keyHolder', key)
  }

  counters(prefix: string): Promise<readonly words.Counter[]> {
    return this.reads.call('counters', prefix)
  }

  async records(query: words.RecordQuery): Promise<readonly words.StoredRecord[]> {
    const { table, scope } = query
    const rows = await this.reads.call('records', query)
    return this.decode(() => rows.map(row => ({ ...row, table, scope, body: JSON.parse(row.body) as unknown })))
  }

  blob(owner: Ref, hash: string): Promise<Uint8Array | undefined> {
    return this.reads.call('blob', owner, hash)
  }

  setMarks(marks: readonly words.Mark[]): Promise<void> {
    return this.writes.call('setMarks', marks)
  }

  marks(names: readonly string[]): Promise<readonly words.Mark[]> {
    return this.reads.call('marks', names)
  }

  expireRecords(request: { table: string; before: Instant; limit: number }): Promise<number> {
    return this.writes.call('expireRecords', request)
  }

  expireOutcomes(request: { before: Instant; limit: number }): Promise<number> {
    return this.writes.call('expireOutcomes', request)
  }

  async resume(): Promise<void> {
    await this.writes.call('resume')
    this.current = { ...this.current, observeOnly: false }
  }

  describe(): SqliteDescription {
    return {
      database: 'sqlite',
      version: process.versions.sqlite!,
      path: this.parts.path,
      waitingCommits: this.writes.waitingCount,
      warnings: [],
    }
  }

  /**
   * Copies the store to this path while it runs, with a manifest beside it. It must not exist yet.
   * Sealed blobs stay sealed in it, and the key that opens them is not in it.
   */
  backup(path: string): Promise<BackupManifest> {
    return this.backups.write({ source: this.parts.path, target: path, now: this.parts.world.now() })
  }

  /** Reads a stretch of the log for watchers that lag behind. */
  async readLog(after: Revision, limit: number) {
    const { compacted, rows } = await this.reads.call('log', after, limit)
    return { compacted, entries: this.decode(() => rows.map(decodeEntry)) }
  }

  close(): Promise<void> {
    this.closing ??= this.end()
    return this.closing
  }

  private async end(): Promise<void> {
    const { threads, tail, lock } = this.parts
    await this.backups.stop()
    await threads.drain()
    tail.close()
    await threads.close()
    const { storeId, epoch } = this.current
    lock.remember({ storeId, epoch, revision: tail.head })
    lock.release()
  }

  /** SQLite has no checksums: a text that is not the JSON we wrote is how damage shows. */
  private decode<T>(parse: () => T): T {
    try {
      return parse()
    } catch (error) {
      const damage = corrupt(this.parts.path, (error as Error).message)
      this.parts.threads.fail(damage)
      throw damage
    }
  }

  private get writes() {
    return this.parts.threads.writes
  }

  private get reads() {
    return this.parts.threads.reads
  }
}
