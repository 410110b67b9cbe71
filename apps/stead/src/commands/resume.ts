import { openPostgresStore, type PostgresStoreOptions } from '@stead/engine'
import { realWorld } from '@stead/world'
import { askRunning } from '../admin/client.ts'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { withExistingStore } from './existing-store.ts'

/** `stead resume`: a restored or copied store may act again. */
export async function resumeCommand(flags: Flags): Promise<void> {
  const { data, database } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  if (database) await resumeDatabase({ ...database, world: realWorld })
  else if (!(await askRunning(data, 'resume', {}))) await withExistingStore(data, store => store.resume())
  console.log('Resumed: Stead acts again')
}

/** Every node that runs on it learns of it by itself. */
async function resumeDatabase(options: PostgresStoreOptions): Promise<void> {
  const store = await openPostgresStore(options)
  try {
    await store.resume()
  } finally {
    await store.close()
  }
}
