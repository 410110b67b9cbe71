import { openPostgresStore, openSqliteStore, type Store } from '@stead/engine'
import type { World } from '@stead/world'
import type { Logger } from 'pino'
import type { Configuration } from './configuration/index.ts'
import { StartError } from './exit-codes.ts'

export interface OpenedStore {
  readonly store: Store
  /** Resolves with the reason if it can never serve again. A database that is merely away is waited for. */
  readonly failed: Promise<Error>
  backup(path: string): Promise<unknown>
}

/** Opens where objects are kept: the file in the data directory, or the PostgreSQL database that was named. */
export async function openStore({ data, database }: Configuration, world: World, log: Logger): Promise<OpenedStore> {
  if (!database) {
    const store = await openSqliteStore({ directory: data, world })
    return {
      store,
      failed: store.failed,
      backup: path => store.backup(path),
    }
  }
  const store = await openPostgresStore({ ...database, world, log })
  return {
    store,
    failed: store.failed,
    backup: () => Promise.reject(noBackupOfPostgres()),
  }
}

export const noBackupOfPostgres = () =>
  new StartError('usage', 'a PostgreSQL database is backed up with its own tools: see docs/postgresql.md')
