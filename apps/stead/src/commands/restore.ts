import { resolve } from 'node:path'
import { markPostgresRestored, restoreSqliteStore } from '@stead/engine'
import { realWorld } from '@stead/world'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { StartError } from '../exit-codes.ts'

const next = 'Start it with `stead serve`: it observes and changes nothing outside until `stead resume`'

/**
 * `stead restore <file>`: into a data directory that is empty or not there yet.
 * `stead restore --database <url>`: the database was brought back with its own tools; only its epoch is left to move.
 */
export async function restoreCommand(file: string | undefined, flags: Flags): Promise<void> {
  const { data, database } = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  if (database) {
    if (file)
      throw new StartError('usage', 'a PostgreSQL database is restored with its own tools: see docs/postgresql.md')
    await markPostgresRestored({ ...database, world: realWorld })
    console.log('The database is marked as restored: the next start is a new epoch')
  } else {
    if (!file) throw new StartError('usage', 'say which backup to restore: stead restore <file>')
    const { identity, revision, takenAt } = await restoreSqliteStore({ backup: resolve(file), directory: data })
    console.log(`Restored revision ${revision}, taken at ${takenAt}, into ${data} as epoch ${identity.epoch}`)
  }
  console.log(next)
}
