import type { DatabaseSync } from 'node:sqlite'
import { after, elapsed, type Instant } from '@stead/world'
import type { Lease, LeaseRequest } from '../words/lease.ts'
import type { Revision } from '../words/object.ts'
import type { Mark } from '../words/store.ts'
import { inTransaction } from './transaction.ts'

/** Writes that are not change-sets: leases, marks, forgetting. None of them enters the log. Synchronous. */
export class SqliteUpkeep {
  private readonly database: DatabaseSync
  private readonly sql: ReturnType<typeof prepareUpkeep>

  constructor(database: DatabaseSync) {
    this.database = database
    this.sql = prepareUpkeep(database)
  }

  acquire({ names, holder, ttl }: LeaseRequest, now: Instant): readonly Lease[] {
    return inTransaction(this.database, () =>
      names.flatMap(
        name => (this.sql.acquire.get(name, holder, after(now, ttl), now) as unknown as Lease | undefined) ?? [],
      ),
    )
  }

  renew({ names, holder, ttl }: LeaseRequest, now: Instant): readonly Lease[] {
    return inTransaction(this.database, () =>
      names.flatMap(
        name => (this.sql.renew.get(after(now, ttl), name, holder, now) as unknown as Lease | undefined) ?? [],
      ),
    )
  }

  release(leases: readonly Lease[]): void {
    inTransaction(this.database, () => {
      for (const { name, holder, fence, expiresAt } of leases) this.sql.release.run(name, holder, fence, expiresAt)
    })
  }

  leases(now: Instant) {
    const rows = this.sql.leases.all() as unknown as Lease[]
    // Named one by one: to spread a row costs more than to read it, and these are all read every few seconds.
    return rows.map(({ name, holder, fence, expiresAt }) => {
      const remaining = elapsed(now, expiresAt)
      return { name, holder, fence, expiresAt, remaining }
    })
  }

  /** Nobody can hold a lease of a store that only one process can open, once that process is a new one. */
  expireLeases(): void {
    this.sql.expireLeases.run()
  }

  setMarks(marks: readonly Mark[]): void {
    inTransaction(this.database, () => {
      for (const { mark, at, value } of marks) this.sql.setMark.run(mark, at, value)
    })
  }

  /** Forgets the log through a revision, at most `limit` entries of it; answers how far it came. */
  compact(through: Revision, limit = Number.MAX_SAFE_INTEGER): Revision {
    return inTransaction(this.database, () => {
      const { head } = this.sql.head.get() as { head: Revision }
      const before = this.compacted()
      const revision = Math.min(through, head, before + limit)
      if (revision <= before) return before
      this.sql.trimLog.run(revision)
      this.sql.setMeta.run('compacted', String(revision))
      return revision
    })
  }

  compacted(): Revision {
    return Number((this.sql.getMeta.get('compacted') as { value: string } | undefined)?.value ?? 0)
  }

  expireRecords({ table, before, limit }: { table: string; before: Instant; limit: number }): number {
    return Number(this.sql.expireRecords.run(table, before, limit).changes)
  }

  expireOutcomes({ before, limit }: { before: Instant; limit: number }): number {
    return Number(this.sql.expireOutcomes.run(before, limit).changes)
  }
}

function prepareUpkeep(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql)
  const lease = 'name, holder, fence, expires_at AS expiresAt'
  return {
    getMeta: prepare('SELECT value FROM meta WHERE key = ?'),
    setMeta: prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)'),
    // ?1 name, ?2 holder, ?3 new expiry, ?4 now. Still held by the same holder: renewed, same fence.
    acquire: prepare(`
      INSERT INTO leases (name, holder, fence, expires_at) VALUES (?1, ?2, 1, ?3)
      ON CONFLICT (name) DO UPDATE
      SET fence = fence + (holder <> ?2 OR expires_at <= ?4), holder = ?2, expires_at = ?3
      WHERE holder = ?2 OR expires_at <= ?4
      RETURNING ${lease}`),
    renew: prepare(
      `UPDATE leases SET expires_at = ? WHERE name = ? AND holder = ? AND expires_at > ? RETURNING ${lease}`,
    ),
    release: prepare('UPDATE leases SET expires_at = 0 WHERE name = ? AND holder = ? AND fence = ? AND expires_at = ?'),
    leases: prepare(`SELECT ${lease} FROM leases ORDER BY name`),
    expireLeases: prepare('UPDATE leases SET expires_at = 0'),
    setMark: prepare(`
      INSERT INTO marks (mark, at, value) VALUES (?, ?, ?)
      ON CONFLICT (mark) DO UPDATE SET at = excluded.at, value = excluded.value WHERE excluded.at >= marks.at`),
    head: prepare('SELECT coalesce(max(revision), 0) AS head FROM log'),
    trimLog: prepare('DELETE FROM log WHERE revision <= ?'),
    // Looks at the oldest `limit` only: both tables are in time order, and a scan for more would read them whole.
    expireRecords: prepare(`
      DELETE FROM records WHERE record_table = ?1 AND sequence IN (
        SELECT sequence FROM (SELECT sequence, at FROM records WHERE record_table = ?1 ORDER BY sequence LIMIT ?3)
        WHERE at < ?2)`),
    expireOutcomes: prepare(`
      DELETE FROM change_sets WHERE sequence IN (
        SELECT sequence FROM (SELECT sequence, at FROM change_sets ORDER BY sequence LIMIT ?2) WHERE at < ?1)`),
  }
}
