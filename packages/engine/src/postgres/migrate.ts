import { newId, seconds, type World } from '@stead/world'
import { OpenError } from '../words/errors.ts'
import type { StoreIdentity } from '../words/store.ts'
import type { Connection } from './connection.ts'
import { migrations as known, type Migration } from './migrations.ts'
import type { SchemaName } from './schema-name.ts'

export interface MigrateOptions {
  readonly world: World
  readonly connection: Connection
  readonly schema: SchemaName
  /** All that this program knows, in order. */
  readonly migrations?: readonly Migration[]
}

/** A migration may rewrite a table: nothing cuts it short. */
const patience = seconds(3_600)

/**
 * Brings the schema to the newest version and says whose store it is. One transaction, one at a time: of nodes that start
 * together the first does the work and the others find it done.
 */
export async function migrate(options: MigrateOptions): Promise<StoreIdentity> {
  const { connection, schema } = options
  await connection.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    await connection.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0`)
    await connection.query(
      'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
      [`stead schema ${schema.name}`],
      patience,
    )
    await bringUpToDate(options)
    const identity = await settleIdentity(options)
    await connection.query('COMMIT')
    return identity
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function bringUpToDate({ connection, schema, migrations = known }: MigrateOptions): Promise<void> {
  const newest = migrations.at(-1)!.version
  const { version, minimum } = await versionOf(connection, schema)
  if (minimum > newest)
    throw new OpenError(
      'newer_schema',
      `the database was changed by a newer Stead (schema ${version}, which needs at least ${minimum}; this one knows ${newest}): run that version or a later one; nothing was changed`,
    )
  for (const migration of migrations.filter(each => each.version > version)) {
    await connection.query(schema.in(migration.sql()), undefined, patience)
    await connection.query(schema.in('INSERT INTO stead.schema_versions (version, minimum) VALUES ($1, $2)'), [
      migration.version,
      migration.minimum,
    ])
    await connection.query(schema.in('UPDATE stead.state SET minimum_version = greatest(minimum_version, $1)'), [
      migration.minimum,
    ])
  }
}

async function versionOf(connection: Connection, schema: SchemaName): Promise<{ version: number; minimum: number }> {
  const [found] = await connection.query<{ schema: boolean; versions: boolean }>(
    `SELECT to_regnamespace($1) IS NOT NULL AS schema, to_regclass($1 || '.schema_versions') IS NOT NULL AS versions`,
    [schema.name],
  )
  // Only where it is missing: making it needs a right on the database that an administrator may prefer not to give.
  if (!found!.schema) await connection.query(`CREATE SCHEMA ${schema.name}`)
  if (!found!.versions)
    await connection.query(
      schema.in(`CREATE TABLE stead.schema_versions (
        version int PRIMARY KEY, minimum int NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`),
    )
  const [row] = await connection.query<{ version: number; minimum: number }>(
    schema.in(
      'SELECT coalesce(max(version), 0) AS version, coalesce(max(minimum), 0) AS minimum FROM stead.schema_versions',
    ),
  )
  return row!
}

/**
 * Where this store lives. A dump that was loaded somewhere has other numbers; a standby that became the primary, or
 * a cluster brought back from its own files, has the same ones.
 */
const homeSql = `
  SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
    (SELECT oid FROM pg_database WHERE datname = current_database()), 'stead.turn'::regclass::oid) AS home`

/** What `markRestored` leaves as the home: wherever the store is opened next, it is a copy. */
const homeless = 'restored'

/** A store found away from home starts a new epoch and only observes: the original may be alive, and both would act. */
async function settleIdentity({ world, connection, schema }: MigrateOptions): Promise<StoreIdentity> {
  const [{ home }] = (await connection.query<{ home: string }>(schema.in(homeSql))) as [{ home: string }]
  const setMeta = schema.in(`INSERT INTO stead.meta (key, value) VALUES ($1, $2)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`)
  const [known] = await connection.query<StoreIdentity & { home: string }>(
    schema.in(`
      SELECT i.value AS "storeId", h.value AS home, s.epoch, s.observe_only AS "observeOnly"
      FROM stead.meta i, stead.meta h, stead.state s WHERE i.key = 'store_id' AND h.key = 'home'`),
  )
  if (!known) {
    const identity = { storeId: newId(world, 'store'), epoch: 1, observeOnly: false }
    await connection.query(setMeta, ['store_id', identity.storeId])
    await connection.query(setMeta, ['home', home])
    return identity
  }
  const { storeId, epoch, observeOnly } = known
  if (known.home === home) return { storeId, epoch, observeOnly }
  await connection.query(setMeta, ['home', home])
  await connection.query(schema.in('UPDATE stead.state SET epoch = epoch + 1, observe_only = true'))
  return { storeId, epoch: epoch + 1, observeOnly: true }
}

/** Says that this database was brought back from a backup. The next to open it starts a new epoch and only observes. */
export const markHomeless = (connection: Connection, schema: SchemaName): Promise<unknown> =>
  connection.query(schema.in(`UPDATE stead.meta SET value = $1 WHERE key = 'home'`), [homeless])
