import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Contender } from '../contender.ts'
import type { SqlitePlace } from '../place.ts'
import { compareRows, rowCountsSql } from '../rows.ts'

/** The database our store made there. */
export function fileOf({ directory }: SqlitePlace): string {
  const name = readdirSync(directory).find(entry => entry.endsWith('.db'))
  if (!name) throw new Error(`there is no database in ${directory}`)
  return join(directory, name)
}

/** Throws unless a file holds exactly the rows of what was acknowledged. */
export function checkRows(contender: Contender, place: SqlitePlace): void {
  const database = new DatabaseSync(fileOf(place), { readOnly: true })
  const found = database.prepare(rowCountsSql()).get() as Record<string, unknown>
  database.close()
  compareRows(contender, found)
}
