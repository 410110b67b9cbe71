import { resetAdminToken, roomIndexes } from '@stead/control'
import { ReadCache, type Store } from '@stead/engine'
import { realWorld } from '@stead/world'
import { askRunning } from '../admin/client.ts'
import { AdminTokenFile } from '../admin-token.ts'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { openDataDirectory } from '../data-directory.ts'
import { withDatabase, withExistingStore } from './existing-store.ts'

/** `stead admin reset-token`: through the Stead that runs on this data directory, else in its store directly. */
export async function resetTokenCommand(flags: Flags): Promise<void> {
  const { data, database } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  const file = new AdminTokenFile(data)
  const running = (await askRunning(data, 'reset-token', {})) as { token: string } | undefined
  const reset = (store: Store) => resetIn(store, file)
  if (database && !running) openDataDirectory(data)
  const token = running?.token ?? (await (database ? withDatabase(database, reset) : withExistingStore(data, reset)))
  console.log(token)
  console.error(`The new admin token is also in ${file.path}; the old one no longer works`)
}

async function resetIn(store: Store, file: AdminTokenFile): Promise<string> {
  const world = realWorld
  const cache = new ReadCache({ store, world, indexes: roomIndexes })
  await cache.start()
  try {
    const token = await resetAdminToken({ everything: cache.platform(), world, commit: set => store.commit(set) })
    file.write(token)
    return token
  } finally {
    await cache.stop()
  }
}
