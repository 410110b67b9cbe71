import { resolve } from 'node:path'
import { type BackupManifest, UnavailableError } from '@stead/engine'
import { AdminError, askRunning } from '../admin/client.ts'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { StartError } from '../exit-codes.ts'
import { noBackupOfPostgres } from '../store.ts'
import { withExistingStore } from './existing-store.ts'

export interface BackupFlags extends Flags {
  readonly json?: true
}

/** `stead backup <file>`: through the Stead that runs, or by itself when none does. */
export async function backupCommand(file: string, { json, ...flags }: BackupFlags): Promise<void> {
  const { data, database } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  if (database) throw noBackupOfPostgres()
  const path = resolve(file)
  const manifest = await backUp(data, path).catch(error => {
    if (!(error instanceof AdminError || error instanceof UnavailableError)) throw error
    throw new StartError('backup_failed', error.message, { cause: error })
  })
  if (json) return console.log(JSON.stringify({ path, ...manifest }))
  console.log(`Backed up revision ${manifest.revision} to ${path} (${manifest.bytes} bytes)`)
}

async function backUp(data: string, path: string): Promise<BackupManifest> {
  const answer = await askRunning(data, 'backup', { path })
  if (answer) return answer as BackupManifest
  return withExistingStore(data, store => store.backup(path))
}
