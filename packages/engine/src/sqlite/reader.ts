import type { DatabaseSync } from 'node:sqlite'
import type { Instant } from '@stead/world'
import type { EncodedStored } from '../encoding.ts'
import type { Committed } from '../words/change-set.ts'
import type { Ref, Revision } from '../words/object.ts'
import type { Counter, Mark, RecordQuery } from '../words/store.ts'

export interface LogRow {
  readonly revision: Revision
  readonly at: number
  readonly changes: string
}

export interface RecordRow {
  readonly sequence: number
  readonly at: Instant
  readonly subject: string
  readonly body: string
}

export interface ObjectRow extends EncodedStored {
  readonly position: number
}

/** At least one row, and no more once they weigh this much: 256 of the largest would not fit in one answer. */
function takeUntil<Row>(rows: Iterable<Row>, weigh: (row: Row) => number, bytes = Number.POSITIVE_INFINITY): Row[] {
  const taken: Row[] = []
  let weight = 0
  for (const row of rows) {
    taken.push(row)
    weight += weigh(row)
    if (weight >= bytes) break
  }
  return taken
}

const columns = 'kind, id, revision, generation, spec, rest'

/** Every read, synchronous, on its own connection. Rows stay text: whoever asked parses them. */
export class SqliteReader {
  private readonly sql: ReturnType<typeof prepareReads>

  constructor(database: DatabaseSync) {
    this.sql = prepareReads(database)
  }

  outcome(changeSetId: string): Committed | undefined {
    return this.sql.outcome.get(changeSetId) as Committed | undefined
  }

  compacted(): Revision {
    return (this.sql.compacted.get() as { compacted: Revision }).compacted
  }

  /** Runs `read` with every statement in it seeing one state. */
  consistently<T>(read: () => T): T {
    this.sql.begin.run()
    try {
      return read()
    } finally {
      this.sql.end.run()
    }
  }

  head(): Revision {
    return (this.sql.head.get() as { head: Revision }).head
  }

  /** Objects in storage order; `after` is the last one's position, 0 to start. */
  objects(after: number, limit: number, bytes?: number): readonly ObjectRow[] {
    const rows = this.sql.objects.iterate(after, limit) as unknown as Iterable<ObjectRow>
    return takeUntil(rows, ({ spec, rest }) => spec.length + rest.length, bytes)
  }

  log(after: Revision, limit: number, bytes?: number): readonly LogRow[] {
    const rows = this.sql.log.iterate(after, limit) as unknown as Iterable<LogRow>
    return takeUntil(rows, ({ changes }) => changes.length, bytes)
  }

  /** The log's time never goes back, so halving the range finds the place without an index. */
  revisionAt(moment: Instant): Revision {
    let low = this.compacted()
    let high = this.head()
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.sql.timeOf.get(middle) as { at: number }).at <= moment) low = middle
      else high = middle - 1
    }
    return low
  }

  keyHolder(key: string): string | undefined {
    return (this.sql.key.get(key) as { holder: string } | undefined)?.holder
  }

  counters(prefix: string): readonly Counter[] {
    return this.sql.counters.all(prefix, `${prefix}\u{10ffff}`) as unknown as Counter[]
  }

  records({ table, scope, subject, after, before, limit }: RecordQuery): readonly RecordRow[] {
    const order = after === undefined ? 'newest' : 'oldest'
    const edge = after ?? before ?? Number.MAX_SAFE_INTEGER
    const rows =
      subject === undefined
        ? this.sql.recordsOfScope[order].all(table, scope, edge, limit)
        : this.sql.recordsOfSubject[order].all(table, scope, subject, edge, limit)
    return rows as unknown as RecordRow[]
  }

  blob({ kind, id }: Ref, hash: string): Uint8Array | undefined {
    return (this.sql.blob.get(kind, id, hash) as { sealed: Uint8Array } | undefined)?.sealed
  }

  marks(names: readonly string[]): readonly Mark[] {
    return names.flatMap(name => (this.sql.mark.get(name) as Mark | undefined) ?? [])
  }
}

function prepareReads(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql)
  const records = (where: string) => ({
    oldest: prepare(
      `SELECT sequence, at, subject, body FROM records WHERE ${where} AND sequence > ? ORDER BY sequence LIMIT ?`,
    ),
    newest: prepare(
      `SELECT sequence, at, subject, body FROM records WHERE ${where} AND sequence < ? ORDER BY sequence DESC LIMIT ?`,
    ),
  })
  const compacted = `coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'compacted'), 0)`
  return {
    begin: prepare('BEGIN'),
    end: prepare('COMMIT'),
    outcome: prepare('SELECT revision, at FROM change_sets WHERE id = ? AND conflict IS NULL'),
    compacted: prepare(`SELECT ${compacted} AS compacted`),
    head: prepare(`SELECT coalesce((SELECT max(revision) FROM log), ${compacted}) AS head`),
    objects: prepare(`SELECT rowid AS position, ${columns} FROM objects WHERE rowid > ? ORDER BY rowid LIMIT ?`),
    log: prepare('SELECT revision, at, changes FROM log WHERE revision > ? ORDER BY revision LIMIT ?'),
    timeOf: prepare('SELECT at FROM log WHERE revision = ?'),
    key: prepare('SELECT holder FROM keys WHERE key = ?'),
    counters: prepare(
      'SELECT counter, value, ceiling AS "limit" FROM counters WHERE counter >= ? AND counter < ? ORDER BY counter',
    ),
    recordsOfScope: records('record_table = ? AND scope = ?'),
    recordsOfSubject: records('record_table = ? AND scope = ? AND subject = ?'),
    blob: prepare('SELECT sealed FROM blobs WHERE kind = ? AND id = ? AND hash = ?'),
    mark: prepare('SELECT mark, at, value FROM marks WHERE mark = ?'),
  }
}
