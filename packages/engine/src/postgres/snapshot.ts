import { seconds, type Timer, type World } from '@stead/world'
import { decodeObject, type EncodedStored } from '../encoding.ts'
import { UnavailableError } from '../words/errors.ts'
import type { Revision, StoredObject } from '../words/object.ts'
import type { Snapshot } from '../words/store.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { asCallerError } from './failure.ts'

/** An open snapshot keeps PostgreSQL from clearing away what was updated since: one that nobody reads must end. */
const patience = seconds(60)
/** How much to fetch at once, from what the last chunk weighed: objects are from a few hundred bytes to a MiB. */
const chunkBytes = 4 * 1_048_576
const chunkRows = { first: 64, most: 1_000 }

const openSql = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  DECLARE objects NO SCROLL CURSOR FOR SELECT kind, id, revision, generation, spec, rest FROM stead.objects`
const headSql = `
  SELECT coalesce((SELECT max(revision) FROM stead.log), compacted) AS revision FROM stead.state`

/** Everything at one revision, on a session of its own, read as fast as it is taken. */
export const takeSnapshot = (database: Database): Promise<Snapshot> =>
  database.openSession(async connection => {
    await connection.query(database.schema.in(openSql))
    const [row] = await connection.query<{ revision: Revision }>(database.schema.in(headSql))
    return { revision: row!.revision, objects: new SnapshotChunks(connection, database.world) }
  })

class SnapshotChunks implements AsyncIterable<readonly StoredObject[]> {
  private readonly connection: Connection
  private readonly world: World
  private abandonment: Timer

  constructor(connection: Connection, world: World) {
    this.connection = connection
    this.world = world
    this.abandonment = this.waitForReader()
  }

  /** One chunk is fetched ahead, never more. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly StoredObject[]> {
    try {
      let next = this.fetch(chunkRows.first)
      while (true) {
        this.abandonment.cancel()
        const chunk = await next
        if (chunk.length === 0) return
        const weight = chunk.reduce((sum, { spec, rest }) => sum + spec.length + rest.length, 0)
        next = this.fetch(Math.max(1, Math.min(chunkRows.most, Math.floor((chunkBytes * chunk.length) / weight))))
        // Whoever leaves early never looks at it.
        next.catch(() => undefined)
        this.abandonment = this.waitForReader()
        yield chunk.map(decodeObject)
      }
    } finally {
      this.abandonment.cancel()
      this.connection.abandon()
    }
  }

  private waitForReader(): Timer {
    return this.world.setTimer(patience, () => this.connection.abandon())
  }

  private async fetch(rows: number): Promise<readonly EncodedStored[]> {
    if (this.connection.ended)
      throw new UnavailableError(
        `the snapshot was left unread for ${patience} ms, or its connection broke: take another`,
      )
    try {
      return await this.connection.query<EncodedStored>(`FETCH ${rows} FROM objects`)
    } catch (error) {
      throw asCallerError(error)
    }
  }
}
