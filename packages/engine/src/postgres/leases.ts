import type { Duration, Instant } from '@stead/world'
import type { Lease, LeaseRequest, Leases } from '../words/lease.ts'
import { texts } from './binary-array.ts'
import type { Database } from './database.ts'

interface Held {
  readonly held: string | null
}

/** Who holds what, by the database's clock: nodes' own clocks may differ as they like. */
export class PostgresLeases implements Leases {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  async acquire(request: LeaseRequest): Promise<readonly Lease[]> {
    if (request.names.length === 0) return []
    const { names, holder, ttl } = request
    const [row] = await this.database.ask<Held>('CALL stead.acquire_leases_1($1::text[], $2, $3, NULL)', [
      texts(names),
      holder,
      ttl,
    ])
    return inOrder(names, row!)
  }

  async renew({ names, holder, ttl }: LeaseRequest): Promise<readonly Lease[]> {
    const sql = 'SELECT stead.renew_leases_1($1::text[], $2, $3) AS held'
    const [row] = await this.database.ask<Held>(sql, [texts(names), holder, ttl])
    return inOrder(names, row!)
  }

  async release({ names, holder }: { names: readonly string[]; holder: string }): Promise<void> {
    await this.database.ask(
      `WITH mine AS MATERIALIZED (
         SELECT name FROM stead.leases WHERE name = ANY ($1::text[]) AND holder = $2 ORDER BY name FOR UPDATE
       ) UPDATE stead.leases l SET expires_at = 0 FROM mine WHERE l.name = mine.name AND l.holder = $2`,
      [texts(names), holder],
    )
  }

  list(): Promise<readonly (Lease & { remaining: Duration })[]> {
    return this.database.ask(
      `SELECT name, holder, fence, expires_at AS "expiresAt", expires_at - clock.now AS remaining
       FROM stead.leases, (SELECT stead.now_millis() AS now) clock ORDER BY name`,
    )
  }
}

/** In the order in which they were asked for. */
function inOrder(names: readonly string[], { held }: Held): readonly Lease[] {
  const leases = held === null ? [] : (JSON.parse(held) as (Lease & { expiresAt: Instant })[])
  const byName = new Map(leases.map(lease => [lease.name, lease]))
  return names.flatMap(name => byName.get(name) ?? [])
}
