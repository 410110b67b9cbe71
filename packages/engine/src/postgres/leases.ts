import type { Duration, Instant } from '@stead/world'
import type { Lease, LeaseRequest, Leases } from '../words/lease.ts'
import { bigints, texts } from './binary-array.ts'
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

  async release(leases: readonly Lease[]): Promise<void> {
    await this.database.ask(
      `WITH as_heard AS MATERIALIZED (
         SELECT l.name FROM stead.leases l
         JOIN unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) h(name, holder, fence, expires_at)
           ON l.name = h.name AND l.holder = h.holder AND l.fence = h.fence AND l.expires_at = h.expires_at
         ORDER BY l.name FOR UPDATE OF l
       )
       UPDATE stead.leases l SET expires_at = 0 FROM as_heard h WHERE l.name = h.name`,
      [
        texts(leases.map(({ name }) => name)),
        texts(leases.map(({ holder }) => holder)),
        bigints(leases.map(({ fence }) => fence)),
        bigints(leases.map(({ expiresAt }) => expiresAt)),
      ],
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
