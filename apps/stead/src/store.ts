import { openPostgresStore, openSqliteStore, type Store } from '@stead/engine'
import type { World } from '@stead/world'
import type { Logger } from 'pino'
import type { Configuration } from './configuration/index.ts'
import { StartError } from './exit-codes.ts'

export interface OpenedStore {
  readonly store: Store
  /** Resolves with the reason if it can never serve again. A database that is away is waited for, and never does. */
  readonly failed: Promise<Error>
  backup(path: string): Promise<unknown>
  /** What an operator wants to know of where objects are kept. */
  describe(): object
}

/** Opens where objects are kept: the file in the data directory, or the PostgreSQL database that was named. */
export async function openStore({ data, database }: Configuration, world: World, log: Logger): Promise<OpenedStore> {
  if (!database) {
    const store = await openSqliteStore({ directory: data, world })
    return {
      store,
      failed: store.failed,
      backup: path => store.backup(path),
      describe: () => ({ database: 'sqlite' }),
    }
  }
  const store = await openPostgresStore({ ...database, world, log })
  return {
    store,
    failed: new Promise(() => {}),
    backup: () => Promise.reject(noBackupOfPostgres()),
    describe: () => store.describe(),
  }
}

export const noBackupOfPostgres = () =>
  new StartError('usage', 'a PostgreSQL database is backed up with its own tools: see docs/postgresql.md')
