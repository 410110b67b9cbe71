import { existsSync } from 'node:fs'
import { openSqliteStore, type SqliteStore, storePath } from '@stead/engine'
import { realWorld } from '@stead/world'
import { StartError } from '../exit-codes.ts'

/** Opens the store that is there, and only such: a mistyped directory must not become a new, empty store. */
export async function withExistingStore<T>(data: string, use: (store: SqliteStore) => Promise<T>): Promise<T> {
  if (!existsSync(storePath(data))) throw new StartError('usage', `there is no store in ${data}: say where with --data`)
  const store = await openSqliteStore({ directory: data, world: realWorld })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
