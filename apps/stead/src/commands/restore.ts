import { resolve } from 'node:path'
import { restoreSqliteStore } from '@stead/engine'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { StartError } from '../exit-codes.ts'

/** `stead restore <file>`: into a data directory that is empty or not there yet. */
export async function restoreCommand(file: string, flags: Flags): Promise<void> {
  const { data, database } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  if (database)
    throw new StartError('usage', 'a PostgreSQL database is restored with its own tools: see docs/postgresql.md')
  const { identity, revision, takenAt } = await restoreSqliteStore({ backup: resolve(file), directory: data })
  console.log(`Restored revision ${revision}, taken at ${takenAt}, into ${data} as epoch ${identity.epoch}`)
  console.log('Start it with `stead serve`: it observes and changes nothing outside until `stead resume`')
}
