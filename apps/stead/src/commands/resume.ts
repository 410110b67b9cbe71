import { askRunning } from '../admin/client.ts'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { withExistingStore } from './existing-store.ts'

/** `stead resume`: a restored or copied store may act again. */
export async function resumeCommand(flags: Flags): Promise<void> {
  const { data } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  if (!(await askRunning(data, 'resume', {}))) await withExistingStore(data, store => store.resume())
  console.log('Resumed: Stead acts again')
}
