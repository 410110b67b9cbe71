import type { DatabaseSync } from 'node:sqlite'
import type { SeriesPiece, SeriesQuery } from '../words/series.ts'
import { inTransaction } from './transaction.ts'

/** Reads measurements. Synchronous. */
export class SqliteSeriesReader {
  private readonly sql: ReturnType<typeof prepareReads>

  constructor(database: DatabaseSync) {
    this.sql = prepareReads(database)
  }

  read({ subjects, track, from, before }: SeriesQuery): readonly SeriesPiece[] {
    const ordered = [...new Set(subjects)].sort()
    return ordered.flatMap(subject => this.sql.read.all(subject, track, from, before) as unknown as SeriesPiece[])
  }

  subjects({ after, limit }: { readonly after: string; readonly limit: number }): readonly string[] {
    return (this.sql.subjects.all(after, limit) as { subject: string }[]).map(({ subject }) => subject)
  }
}

const prepareReads = (database: DatabaseSync) => ({
  read: database.prepare(
    'SELECT subject, track, start, data FROM series WHERE subject = ? AND track = ? AND start >= ? AND start < ? ORDER BY start',
  ),
  // From one to the next by the index, and not by looking at each piece.
  subjects: database.prepare(`
    WITH RECURSIVE each (subject, number) AS (
      SELECT (SELECT min(subject) FROM series WHERE subject > ?1), 1
      UNION ALL
      SELECT (SELECT min(subject) FROM series WHERE subject > each.subject), number + 1 FROM each
      WHERE each.subject IS NOT NULL AND number < ?2)
    SELECT subject FROM each WHERE subject IS NOT NULL`),
})

/** Writes and forgets measurements. Synchronous. */
export class SqliteSeriesWriter {
  private readonly database: DatabaseSync
  private readonly sql: ReturnType<typeof prepareWrites>

  constructor(database: DatabaseSync) {
    this.database = database
    this.sql = prepareWrites(database)
  }

  put(pieces: readonly SeriesPiece[]): void {
    inTransaction(this.database, () => {
      for (const { subject, track, start, data } of pieces) this.sql.put.run(subject, track, start, data)
    })
  }

  remove(subjects: readonly string[]): void {
    inTransaction(this.database, () => {
      for (const subject of subjects) this.sql.remove.run(subject)
    })
  }

  expire({ track, before, limit }: { track: string; before: number; limit: number }): number {
    return Number(this.sql.expire.run(track, before, limit).changes)
  }
}

const prepareWrites = (database: DatabaseSync) => ({
  put: database.prepare(`
    INSERT INTO series (subject, track, start, data) VALUES (?, ?, ?, ?)
    ON CONFLICT (subject, track, start) DO UPDATE SET data = excluded.data`),
  remove: database.prepare('DELETE FROM series WHERE subject = ?'),
  expire: database.prepare(
    'DELETE FROM series WHERE rowid IN (SELECT rowid FROM series WHERE track = ? AND start < ? ORDER BY start LIMIT ?)',
  ),
})
