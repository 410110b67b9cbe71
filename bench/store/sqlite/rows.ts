import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Contender } from '../contender.ts'
import type { Place } from '../place.ts'

/** The database our store made there. */
export function fileOf({ directory }: Place): string {
  const name = readdirSync(directory).find(entry => entry.endsWith('.db'))
  if (!name) throw new Error(`there is no database in ${directory}`)
  return join(directory, name)
}

/** Throws unless a file holds exactly the rows of what was acknowledged: same work on both sides, nothing lost. */
export function checkRows({ name, acknowledged: { puts, creates } }: Contender, place: Place): void {
  const database = new DatabaseSync(fileOf(place), { readOnly: true })
  const { ...found } = database
    .prepare(`
      SELECT (SELECT count(*) FROM objects) AS objects, (SELECT count(*) FROM log) AS log,
             (SELECT count(*) FROM change_sets) AS changeSets, (SELECT count(*) FROM keys) AS keys,
             (SELECT count(*) FROM records) AS records, (SELECT sum(value) FROM counters) AS counted`)
    .get() as Record<string, number>
  database.close()
  const writes = puts + creates
  const expected = {
    objects: creates,
    log: writes,
    changeSets: writes,
    keys: creates,
    records: creates,
    counted: creates * 2_001,
  }
  for (const [what, count] of Object.entries(expected))
    if (found[what] !== count) throw new Error(`${name} acknowledged ${count} ${what}, holds ${found[what]}`)
}
