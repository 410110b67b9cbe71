import { existsSync } from 'node:fs'
import { openPostgresStore, openSqliteStore, type SqliteStore, type Store, storePath } from '@stead/engine'
import { realWorld } from '@stead/world'
import type { Configuration } from '../configuration/index.ts'
import { StartError } from '../exit-codes.ts'

/** Opens the store that is there, and only such: a mistyped directory must not become a new, empty store. */
export function withExistingStore<T>(data: string, use: (store: SqliteStore) => Promise<T>): Promise<T> {
  if (!existsSync(storePath(data))) throw new StartError('usage', `there is no store in ${data}: say where with --data`)
  return using(openSqliteStore({ directory: data, world: realWorld }), use)
}

/** Opens the database beside the nodes that may run on it: they learn of what is written by themselves. */
export const withDatabase = <T>(
  database: NonNullable<Configuration['database']>,
  use: (store: Store) => Promise<T>,
): Promise<T> => using(openPostgresStore({ ...database, world: realWorld }), use)

async function using<S extends Store, T>(opening: Promise<S>, use: (store: S) => Promise<T>): Promise<T> {
  const store = await opening
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
