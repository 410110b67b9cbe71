import type { Findings } from '@stead/control'
import { askRunning } from '../admin/client.ts'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { withDatabase, withExistingStore } from './existing-store.ts'

/** `stead resume`: a restored or copied store may act again. */
export async function resumeCommand(flags: Flags): Promise<void> {
  const { data, database } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  if (database) await withDatabase(database, store => store.resume())
  else {
    const answer = await askRunning(data, 'resume', {})
    if (answer) tellLeft(answer as { readonly left?: readonly Findings[] })
    else await withExistingStore(data, store => store.resume())
  }
  console.log('Resumed: Stead acts again')
}

/** What nobody decided on before is left as it is, and stays to be seen. */
function tellLeft({ left = [] }: { readonly left?: readonly Findings[] }): void {
  for (const { region, orphans, differences } of left)
    console.log(
      `In ${region}: ${orphans} that belong to nothing here, ${differences} gone or other than they were made`,
    )
}
