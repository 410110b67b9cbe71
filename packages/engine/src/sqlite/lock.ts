import { DatabaseSync } from 'node:sqlite'
import { OpenError } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import { asOpenError, sqliteFailure } from './failure.ts'

/** How far a store had come when it was last opened or closed. */
export interface Witness {
  readonly storeId: string
  readonly epoch: number
  readonly revision: Revision
}

/**
 * Keeps a second opener out, in this process or another, until it is released or the process is dead: the lock is the
 * kernel's. It lies on a small database of its own, because the store's file stays readable for our own second thread.
 *
 * That file also witnesses how far the store had come: when the store is behind its witness, somebody has put an older
 * copy in its place, which no look at the store alone could tell.
 */
export class StoreLock {
  private readonly database: DatabaseSync

  private constructor(database: DatabaseSync) {
    this.database = database
  }

  static take(storePath: string): StoreLock {
    let database: DatabaseSync | undefined
    try {
      database = new DatabaseSync(`${storePath}.lock`, { timeout: 0 })
      // In this mode SQLite keeps the file lock after each transaction, until the connection is closed.
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
      database.exec(`
        CREATE TABLE IF NOT EXISTS witness (
          one INTEGER PRIMARY KEY CHECK (one = 1), store_id TEXT NOT NULL, epoch INTEGER NOT NULL, revision INTEGER NOT NULL
        ) STRICT; COMMIT`)
      return new StoreLock(database)
    } catch (error) {
      database?.close()
      if (sqliteFailure(error)?.failure === 'corrupt')
        throw new OpenError('corrupt', `${storePath}.lock is damaged; nothing depends on it: remove it and start again`)
      throw asOpenError(error, storePath)
    }
  }

  witness(): Witness | undefined {
    const sql = 'SELECT store_id AS storeId, epoch, revision FROM witness'
    return this.database.prepare(sql).get() as Witness | undefined
  }

  /** Does what it can: on a full disk the witness stays an older one, which is still a true one. */
  remember({ storeId, epoch, revision }: Witness): void {
    const sql = 'INSERT OR REPLACE INTO witness (one, store_id, epoch, revision) VALUES (1, ?, ?, ?)'
    try {
      this.database.prepare(sql).run(storeId, epoch, revision)
    } catch (error) {
      if (!sqliteFailure(error)) throw error
    }
  }

  release(): void {
    this.database.close()
  }
}
