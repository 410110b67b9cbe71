import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OpenError } from '../words/errors.ts'
import type { StoreIdentity } from '../words/store.ts'
import { asOpenError, corrupt } from './failure.ts'
import { type Circumstances, homeOf, settleIdentity } from './identity.ts'
import { SqliteReader } from './reader.ts'
import { applicationId, migrations } from './schema.ts'
import { inTransaction } from './transaction.ts'
import { SqliteUpkeep } from './upkeep.ts'

/** How long a connection waits for another one, e.g. an operator's `sqlite3`, before it gives up. */
const busyTimeout = 5_000

/**
 * FULL: a commit returns when the write-ahead log is synced, so an acknowledged write survives power loss.
 * No memory map: a disk error under one is SIGBUS, which ends the process where an error code could be told.
 * A write-ahead log that a long read let grow is cut back to 64 MiB. Checkpoints are the Checkpointer's.
 */
const writerPragmas = `
  PRAGMA synchronous = FULL;
  PRAGMA mmap_size = 0;
  PRAGMA cache_size = -32768;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA temp_store = MEMORY;
  PRAGMA cell_size_check = ON;
  PRAGMA trusted_schema = OFF;`

const readerPragmas = `
  PRAGMA mmap_size = 0;
  PRAGMA cache_size = -8192;
  PRAGMA temp_store = MEMORY;
  PRAGMA cell_size_check = ON;
  PRAGMA trusted_schema = OFF;`

/** The directory and the file, readable by their owner only. */
export function prepareFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // SQLite gives its side files the mode of this one.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw asOpenError(error, path)
  }
}

export interface OpenedDatabase {
  readonly database: DatabaseSync
  readonly identity: StoreIdentity
}

/** Opens the file for the one writer: checked, brought to the newest schema, and knowing who it is. Needs the lock. */
export function openForWriting(path: string, circumstances: Omit<Circumstances, 'home' | 'head'>): OpenedDatabase {
  let database: DatabaseSync | undefined
  try {
    checkHeader(path)
    database = new DatabaseSync(path, { timeout: busyTimeout })
    useWriteAheadLog(database, path)
    database.exec(writerPragmas)
    const opened = database
    const identity = inTransaction(opened, () => {
      migrate(opened, path)
      // Only one process at a time can have this file: whoever held a lease is gone.
      new SqliteUpkeep(opened).expireLeases()
      return settleIdentity(opened, { ...circumstances, home: homeOf(path), head: new SqliteReader(opened).head() })
    })
    return { database: opened, identity }
  } catch (error) {
    database?.close()
    throw asOpenError(error, path)
  }
}

/** Opens a second connection, which can't write whatever happens. */
export function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeout, readOnly: true })
  database.exec(readerPragmas)
  return database
}

/**
 * Looks at what must be refused before SQLite has the file, because merely opening one makes side files and closing it
 * may write. The header is old when a write-ahead log was left behind: then a connection that can't write looks again.
 */
function checkHeader(path: string): void {
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  const size = readSync(file, header, 0, 100, 0)
  closeSync(file)
  if (size > 0) {
    if (size < 100 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw corrupt(path, 'no SQLite header')
    checkVersion(path, { application: header.readUInt32BE(68), version: header.readUInt32BE(60) })
  }
  if (!existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0) return
  const database = new DatabaseSync(path, { timeout: busyTimeout, readOnly: true })
  try {
    checkVersion(path, versionOf(database))
  } finally {
    database.close()
  }
}

export interface FileVersion {
  readonly application: number
  readonly version: number
}

function versionOf(database: DatabaseSync): FileVersion {
  const { application_id } = database.prepare('PRAGMA application_id').get() as { application_id: number }
  const { user_version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
  return { application: application_id, version: user_version }
}

export function checkVersion(path: string, { application, version }: FileVersion): void {
  // Zero is a file that was made but not yet filled; whether it is empty is seen once it is open.
  if (application !== applicationId && (application !== 0 || version !== 0)) throw notOurs(path)
  if (version > migrations.length)
    throw new OpenError(
      'newer_schema',
      `${path} was written by a newer Stead (schema ${version}, this one knows ${migrations.length}): run that version or a later one; nothing was changed`,
    )
}

const notOurs = (path: string) =>
  new OpenError(
    'corrupt',
    `${path} is a database of another program: choose another data directory; nothing was changed`,
  )

function useWriteAheadLog(database: DatabaseSync, path: string): void {
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (!isEmpty && versionOf(database).application !== applicationId) throw notOurs(path)
  const { journal_mode } = database.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string }
  if (journal_mode !== 'wal')
    throw new OpenError('unwritable', `the file system of ${path} has no shared memory for SQLite: use a local disk`)
}

function migrate(database: DatabaseSync, path: string): void {
  const { version } = versionOf(database)
  checkVersion(path, versionOf(database))
  for (const migration of migrations.slice(version)) database.exec(migration)
  if (version < migrations.length)
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`)
}
