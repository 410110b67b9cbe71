import type { Instant } from '@stead/world'
import type { Revision } from '../words/object.ts'
import type { Mark } from '../words/store.ts'
import { bigints, texts } from './binary-array.ts'
import type { Database } from './database.ts'

/** Little and often: a statement that deletes more holds its locks, and the replicas, for seconds. */
const compactionStep = 5_000

/** Writes that are not change-sets: marks and forgetting. None of them enters the log, none waits for a turn. */
export class PostgresUpkeep {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** Last write wins, also among those of one call. */
  async setMarks(marks: readonly Mark[]): Promise<void> {
    const latest = new Map<string, Mark>()
    for (const mark of marks) if (!((latest.get(mark.mark)?.at ?? 0) > mark.at)) latest.set(mark.mark, mark)
    const rows = [...latest.values()]
    await this.database.ask(
      `INSERT INTO stead.marks AS m (mark, at, value)
         SELECT n.mark, n.at, n.value FROM unnest($1::text[], $2::bigint[], $3::text[]) n(mark, at, value)
         ORDER BY n.mark COLLATE "C"
       ON CONFLICT (mark) DO UPDATE SET at = excluded.at, value = excluded.value WHERE excluded.at >= m.at`,
      [texts(rows.map(({ mark }) => mark)), bigints(rows.map(({ at }) => at)), texts(rows.map(({ value }) => value))],
    )
  }

  /** Forgets a step of the log; answers how far it is forgotten now. */
  async compact(through: Revision): Promise<Revision> {
    const [row] = await this.database.ask<{ compacted: Revision }>(
      `WITH target AS (
         SELECT least($1, s.compacted + $2, coalesce((SELECT max(revision) FROM stead.log), s.compacted)) AS revision
         FROM stead.state s
       ), moved AS (
         UPDATE stead.state s SET compacted = t.revision FROM target t WHERE s.compacted < t.revision
         RETURNING s.compacted
       ), gone AS (
         -- Bounded below too: without it the planner expects a third of the log and reads it whole.
         DELETE FROM stead.log l USING moved m WHERE l.revision > m.compacted - $2 AND l.revision <= m.compacted
       )
       SELECT greatest(s.compacted, (SELECT compacted FROM moved)) AS compacted FROM stead.state s`,
      [through, compactionStep],
    )
    return row!.compacted
  }

  /** Looks at the oldest `limit` only: both tables are in time order, and a scan for more would read them whole. */
  expireRecords({ table, before, limit }: { table: string; before: Instant; limit: number }): Promise<number> {
    return this.expire(
      `DELETE FROM stead.records WHERE record_table = $3 AND sequence IN (
         SELECT sequence FROM (
           SELECT sequence, at FROM stead.records WHERE record_table = $3 ORDER BY sequence LIMIT $2
         ) oldest WHERE at < $1)`,
      [before, limit, table],
    )
  }

  expireOutcomes({ before, limit }: { before: Instant; limit: number }): Promise<number> {
    return this.expire(
      `DELETE FROM stead.change_sets WHERE sequence IN (
         SELECT sequence FROM (SELECT sequence, at FROM stead.change_sets ORDER BY sequence LIMIT $2) oldest
         WHERE at < $1)`,
      [before, limit],
    )
  }

  private async expire(sql: string, values: readonly unknown[]): Promise<number> {
    const [row] = await this.database.ask<{ count: number }>(
      `WITH gone AS (${sql} RETURNING 1) SELECT count(*) AS count FROM gone`,
      values,
    )
    return row!.count
  }

  async resume(): Promise<void> {
    await this.database.ask('UPDATE stead.state SET observe_only = false')
  }

  /** The database has lost what this node had seen committed: whoever opens it next only observes. */
  async startNewEpoch(after: number): Promise<void> {
    await this.database.ask('UPDATE stead.state SET epoch = epoch + 1, observe_only = true WHERE epoch = $1', [after])
  }
}
