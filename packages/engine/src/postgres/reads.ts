import type { Instant } from '@stead/world'
import type { LogPage } from '../log/tail.ts'
import type { Committed } from '../words/change-set.ts'
import type { Ref, Revision } from '../words/object.ts'
import type { Counter, Mark, RecordQuery, StoredRecord } from '../words/store.ts'
import { texts } from './binary-array.ts'
import type { Database } from './database.ts'
import { decodePage, logPageSql, pageBytes } from './log-page.ts'

/** A name with a NUL in it can't be stored, and can't be sent to PostgreSQL to be looked for either. */
const isStorable = (name: string) => !name.includes('\0')

/** Everything the store can be asked, apart from the log as it grows. */
export class PostgresReads {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  async outcome(changeSetId: string): Promise<Committed | undefined> {
    if (!isStorable(changeSetId)) return undefined
    const sql = 'CALL stead.outcome_1($1, NULL, NULL)'
    const [row] = await this.database.ask<Committed | { revision: null }>(sql, [changeSetId])
    return row!.revision === null ? undefined : row
  }

  async log(after: Revision, limit: number): Promise<LogPage> {
    return decodePage(await this.database.ask(logPageSql, [after, limit, pageBytes]))
  }

  async compacted(): Promise<Revision> {
    const [row] = await this.database.ask<{ compacted: Revision }>('SELECT compacted FROM stead.state')
    return row!.compacted
  }

  async revisionAt(moment: Instant): Promise<Revision> {
    const [row] = await this.database.ask<{ revision: Revision }>('SELECT stead.revision_at_1($1) AS revision', [
      moment,
    ])
    return row!.revision
  }

  async keyHolder(key: string): Promise<string | undefined> {
    if (!isStorable(key)) return undefined
    const sql = 'SELECT holder FROM stead.keys WHERE key = $1'
    const [row] = await this.database.ask<{ holder: string }>(sql, [key])
    return row?.holder
  }

  async counters(prefix: string): Promise<readonly Counter[]> {
    if (!isStorable(prefix)) return []
    return this.database.ask(
      `SELECT counter, value, ceiling AS "limit" FROM stead.counters
       WHERE counter >= $1 AND counter < $2 ORDER BY counter`,
      [prefix, `${prefix}\u{10ffff}`],
    )
  }

  async records({ table, scope, subject, after, before, limit }: RecordQuery): Promise<readonly StoredRecord[]> {
    if (![table, scope, subject ?? ''].every(isStorable)) return []
    const edge = after ?? before ?? Number.MAX_SAFE_INTEGER
    const ofSubject = subject === undefined ? '' : 'AND subject = $5'
    const order =
      after === undefined ? 'AND sequence < $3 ORDER BY sequence DESC' : 'AND sequence > $3 ORDER BY sequence'
    const rows = await this.database.ask<Omit<StoredRecord, 'body'> & { body: string }>(
      `SELECT sequence, at, record_table AS "table", subject, scope, body FROM stead.records
       WHERE record_table = $1 AND scope = $2 ${ofSubject} ${order} LIMIT $4`,
      [table, scope, edge, limit, ...(subject === undefined ? [] : [subject])],
    )
    return rows.map(row => ({ ...row, body: JSON.parse(row.body) as unknown }))
  }

  async blob({ kind, id }: Ref, hash: string): Promise<Uint8Array | undefined> {
    if (![kind, id, hash].every(isStorable)) return undefined
    const sql = 'SELECT sealed FROM stead.blobs WHERE kind = $1 AND id = $2 AND hash = $3'
    const [row] = await this.database.ask<{ sealed: Buffer }>(sql, [kind, id, hash])
    return row && new Uint8Array(row.sealed)
  }

  async marks(names: readonly string[]): Promise<readonly Mark[]> {
    const sql = 'SELECT mark, at, value FROM stead.marks WHERE mark = ANY ($1::text[])'
    const rows = await this.database.ask<Mark>(sql, [texts(names.filter(isStorable))])
    const byName = new Map(rows.map(row => [row.mark, row]))
    return names.flatMap(name => byName.get(name) ?? [])
  }
}
