import { askRunning } from '../admin/client.ts'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { withDatabase, withExistingStore } from './existing-store.ts'

/** `stead resume`: a restored or copied store may act again. */
export async function resumeCommand(flags: Flags): Promise<void> {
  const { data, database } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  if (database) await withDatabase(database, store => store.resume())
  else if (!(await askRunning(data, 'resume', {}))) await withExistingStore(data, store => store.resume())
  console.log('Resumed: Stead acts again')
}
