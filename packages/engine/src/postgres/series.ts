import type { Series, SeriesPiece, SeriesQuery } from '../words/series.ts'
import { bigints, texts } from './binary-array.ts'
import type { Database } from './database.ts'

/** Measurements. None of this enters the log, none waits for a turn. */
export class PostgresSeries implements Series {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** In one order for all nodes, so that two of them never wait for each other; the last of those alike wins. */
  async put(pieces: readonly SeriesPiece[]): Promise<void> {
    const latest = new Map(pieces.map(piece => [JSON.stringify([piece.subject, piece.track, piece.start]), piece]))
    const rows = [...latest.values()]
    await this.database.ask(
      `INSERT INTO stead.series (subject, track, start, data)
         SELECT n.subject, n.track, n.start, n.data
         FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) n(subject, track, start, data)
         ORDER BY n.subject COLLATE "C", n.track COLLATE "C", n.start
       ON CONFLICT (subject, track, start) DO UPDATE SET data = excluded.data`,
      [
        texts(rows.map(({ subject }) => subject)),
        texts(rows.map(({ track }) => track)),
        bigints(rows.map(({ start }) => start)),
        texts(rows.map(({ data }) => data)),
      ],
    )
  }

  read({ subjects, track, from, before }: SeriesQuery): Promise<readonly SeriesPiece[]> {
    return this.database.ask(
      `SELECT subject, track, start, data FROM stead.series
       WHERE subject = ANY ($1::text[]) AND track = $2 AND start >= $3 AND start < $4 ORDER BY subject, start`,
      [texts(subjects), track, from, before],
    )
  }

  async subjects({ after, limit }: { after: string; limit: number }): Promise<readonly string[]> {
    const rows = await this.database.ask<{ subject: string }>(
      // From one to the next by the index, and not by looking at each piece.
      `WITH RECURSIVE each (subject, number) AS (
         SELECT (SELECT min(s.subject) FROM stead.series s WHERE s.subject > $1), 1
         UNION ALL
         SELECT (SELECT min(s.subject) FROM stead.series s WHERE s.subject > each.subject), number + 1 FROM each
         WHERE each.subject IS NOT NULL AND number < $2)
       SELECT subject FROM each WHERE subject IS NOT NULL`,
      [after, limit],
    )
    return rows.map(({ subject }) => subject)
  }

  async remove(subjects: readonly string[]): Promise<void> {
    await this.database.ask('DELETE FROM stead.series WHERE subject = ANY ($1::text[])', [texts(subjects)])
  }

  async expire({ track, before, limit }: { track: string; before: number; limit: number }): Promise<number> {
    const [row] = await this.database.ask<{ count: number }>(
      `WITH gone AS (
         DELETE FROM stead.series WHERE (subject, track, start) IN (
           SELECT subject, track, start FROM stead.series WHERE track = $1 AND start < $2 ORDER BY start LIMIT $3)
         RETURNING 1)
       SELECT count(*) AS count FROM gone`,
      [track, before, limit],
    )
    return row!.count
  }
}
