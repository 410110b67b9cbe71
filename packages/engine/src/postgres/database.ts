import { type Duration, seconds, type World } from '@stead/world'
import { EndedError, untilAnswered } from '../store/until-answered.ts'
import type { Connection } from './connection.ts'
import type { Connector } from './connector.ts'
import { asCallerError } from './failure.ts'
import type { Pool } from './pool.ts'
import type { SchemaName } from './schema-name.ts'

/** How long a request may take for which nobody said how long. */
export const defaultTimeout = seconds(10)

/** Asks PostgreSQL, and asks again while it restarts, fails over or is out of reach. Only for what may be asked twice. */
export class Database {
  readonly world: World
  readonly schema: SchemaName
  private readonly connector: Connector
  private readonly pool: Pool
  private ending: EndedError | undefined

  constructor(connector: Connector, pool: Pool, schema: SchemaName) {
    this.world = connector.world
    this.connector = connector
    this.pool = pool
    this.schema = schema
  }

  /** `text` names the schema `stead`, whatever its name is. */
  ask<Row>(text: string, values: readonly unknown[] = [], timeout = defaultTimeout): Promise<readonly Row[]> {
    const sql = this.schema.in(text)
    return this.untilAnswered(timeout, patience =>
      this.pool.use(patience, (connection, left) => connection.prepared<Row>(sql, values, left)),
    )
  }

  /** A session of one's own, on which `begin` has worked. Whoever asked for it ends it. */
  openSession<T>(begin: (connection: Connection) => Promise<T>): Promise<T> {
    return this.untilAnswered(defaultTimeout, async patience => {
      const connection = await this.connector.connect(patience)
      try {
        return await begin(connection)
      } catch (error) {
        connection.abandon()
        throw error
      }
    })
  }

  /** From now on everything asked is answered with this. */
  end(reason: EndedError): void {
    this.ending ??= reason
  }

  async close(): Promise<void> {
    this.end(new EndedError('the store is closed'))
    await this.pool.close()
  }

  private untilAnswered<T>(timeout: Duration, attempt: (patience: Duration) => Promise<T>): Promise<T> {
    return untilAnswered({
      world: this.world,
      timeout,
      attempt: async ({ timeout: patience }) => {
        if (this.ending) throw this.ending
        try {
          return await attempt(patience)
        } catch (error) {
          throw asCallerError(error)
        }
      },
    })
  }
}
