import { type Duration, seconds, type World } from '@stead/world'
import { untilAnswered } from '../store/until-answered.ts'
import { OpenError, UnavailableError } from '../words/errors.ts'
import { type Logger, silentLogger } from '../words/logger.ts'
import { parseDatabaseUrl } from './address.ts'
import type { Connection, ServerFacts } from './connection.ts'
import { ConnectError, Connector } from './connector.ts'
import { formatVersion } from './description.ts'
import { asCallerError, describeFailure, failureKind, isReadOnly } from './failure.ts'
import { decodePage, logPageSql } from './log-page.ts'
import { markHomeless, migrate } from './migrate.ts'
import { SchemaName } from './schema-name.ts'
import { PostgresStore } from './store.ts'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=verify-full`; several hosts may be named, one is the primary. */
  readonly url: string
  readonly world: World
  /** Made if it does not exist. Default `stead`. */
  readonly schema?: string
  /** Sessions for reads and small writes; three more are kept for writing, following and snapshots. Default 8. */
  readonly poolSize?: number
  /** How long to wait for a database that does not answer. Default 10 s. */
  readonly patience?: Duration
  readonly log?: Logger
}

/** The oldest that is tested. */
const oldestVersion = 150_000

/** See index.ts. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { world, poolSize = 8, log = silentLogger } = options
  const schema = new SchemaName(options.schema ?? 'stead')
  const connector = new Connector(world, parseDatabaseUrl(options.url))
  return withSession(connector, options, async connection => {
    checkServer(connector.facts!)
    const identity = await migrate({ world, connection, schema })
    const { state } = decodePage(await connection.query(schema.in(logPageSql), [0, 0, 0]))
    const store = new PostgresStore({ connector, schema, poolSize, log, identity, state })
    for (const warning of store.describe().warnings) log.warn({}, warning)
    return store
  })
}

/** See index.ts. */
export async function markPostgresRestored(options: Omit<PostgresStoreOptions, 'poolSize'>): Promise<void> {
  const schema = new SchemaName(options.schema ?? 'stead')
  const connector = new Connector(options.world, parseDatabaseUrl(options.url))
  await withSession(connector, options, connection => markHomeless(connection, schema))
}

async function withSession<T>(
  connector: Connector,
  { world, patience = seconds(10) }: Pick<PostgresStoreOptions, 'world' | 'patience'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let connection: Connection | undefined
  try {
    connection = await untilAnswered({
      world,
      timeout: patience,
      attempt: ({ timeout }) => connect(connector, timeout),
    })
    return await work(connection)
  } catch (error) {
    throw asOpenError(error, connector)
  } finally {
    await connection?.close()
  }
}

/** Waits for one that is starting or not there yet; not for one that says no. */
async function connect(connector: Connector, timeout: Duration): Promise<Connection> {
  try {
    return await connector.connect(timeout)
  } catch (error) {
    throw error instanceof ConnectError && error.refused ? error : asCallerError(error)
  }
}

function checkServer({ version, encoding, database }: ServerFacts): void {
  if (version < oldestVersion)
    throw new OpenError('unwritable', `PostgreSQL ${formatVersion(version)} is too old: at least 15 is needed`)
  if (encoding !== 'UTF8')
    throw new OpenError('unwritable', `database ${database} is encoded as ${encoding}, and must be UTF8`)
}

function asOpenError(error: unknown, { facts }: Connector): unknown {
  if (error instanceof OpenError) return error
  if (error instanceof ConnectError || (error instanceof UnavailableError && !facts))
    return new OpenError('unreachable', `the database cannot be reached: ${describeFailure(error)}`, { cause: error })
  if (isReadOnly(error))
    return new OpenError('unwritable', 'the database is read-only, and needs changes to its schema', { cause: error })
  if (failureKind(error) === 'refused')
    return new OpenError(
      'unwritable',
      `user ${facts?.user} may not do what is needed in database ${facts?.database}: ${describeFailure(error)}`,
      { cause: error },
    )
  return failureKind(error) === 'passing'
    ? new OpenError('unreachable', `the database stopped answering: ${describeFailure(error)}`, { cause: error })
    : error
}
