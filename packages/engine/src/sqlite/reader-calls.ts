import type { DatabaseSync } from 'node:sqlite'
import type { Instant } from '@stead/world'
import type { EncodedStored } from '../encoding.ts'
import type { Ref, Revision } from '../words/object.ts'
import type { SeriesQuery } from '../words/series.ts'
import type { RecordQuery } from '../words/store.ts'
import { openForReading } from './open.ts'
import { SqliteReader } from './reader.ts'
import { SqliteSeriesReader } from './series.ts'

/** About how much text one answer carries: a few milliseconds of parsing for whoever asked. */
const answerBytes = 524_288
const pageRows = 1_000

/** Every read, as the reader thread serves it. */
export function readerCalls(path: string) {
  const database = openForReading(path)
  const reader = new SqliteReader(database)
  const series = new SqliteSeriesReader(database)
  const snapshots = new Map<number, OpenSnapshot>()
  let lastSnapshot = 0
  return {
    keyHolder: (key: string) => reader.keyHolder(key),
    counters: (prefix: string) => reader.counters(prefix),
    records: (query: RecordQuery) => reader.records(query),
    blob: (owner: Ref, hash: string) => reader.blob(owner, hash),
    marks: (names: readonly string[]) => reader.marks(names),
    series: (query: SeriesQuery) => series.read(query),
    seriesSubjects: (page: Parameters<SqliteSeriesReader['subjects']>[0]) => series.subjects(page),
    revisionAt: (moment: Instant) => reader.consistently(() => reader.revisionAt(moment)),
    log: (after: Revision, limit: number) =>
      reader.consistently(() => ({ compacted: reader.compacted(), rows: reader.log(after, limit, answerBytes) })),
    openSnapshot() {
      lastSnapshot += 1
      const snapshot = new OpenSnapshot(openForReading(path))
      snapshots.set(lastSnapshot, snapshot)
      return { snapshot: lastSnapshot, revision: snapshot.revision }
    },
    /** The next objects; none at the end. */
    readSnapshot(snapshot: number): readonly EncodedStored[] {
      const open = snapshots.get(snapshot)
      // No rows would mean the end: a store that looks empty.
      if (!open) throw new Error(`snapshot ${snapshot} is closed`)
      return open.read()
    },
    closeSnapshot(snapshot: number) {
      snapshots.get(snapshot)?.close()
      snapshots.delete(snapshot)
    },
    close() {
      for (const snapshot of snapshots.values()) snapshot.close()
      database.close()
    },
  }
}

/** One read transaction on a connection of its own, so that reads meanwhile see the present. */
class OpenSnapshot {
  readonly revision: Revision
  private readonly database: DatabaseSync
  private readonly reader: SqliteReader
  private position = 0

  constructor(database: DatabaseSync) {
    this.database = database
    this.reader = new SqliteReader(database)
    database.exec('BEGIN')
    this.revision = this.reader.head()
  }

  read(): readonly EncodedStored[] {
    const page = this.reader.objects(this.position, pageRows, answerBytes)
    this.position = page.at(-1)?.position ?? this.position
    return page
  }

  close(): void {
    this.database.close()
  }
}

type Calls = ReturnType<typeof readerCalls>
export type ReaderMethod = Exclude<keyof Calls, 'close'>
export type ReaderArgs<Method extends ReaderMethod> = Parameters<Calls[Method]>
export type ReaderResult<Method extends ReaderMethod> = ReturnType<Calls[Method]>
