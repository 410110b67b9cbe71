import type { DatabaseSync } from 'node:sqlite'

/** All of `write`, or none of it. Durable when this returns. */
export function inTransaction<T>(database: DatabaseSync, write: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = write()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // After some failures (a full disk) SQLite has rolled back by itself already.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
