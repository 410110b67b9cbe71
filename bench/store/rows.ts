import type { Contender } from './contender.ts'

/** How many rows of each sort are there; the same tables in every database, but for where they are. */
export const rowCountsSql = (schema = ''): string => `
  SELECT (SELECT count(*) FROM ${schema}objects) AS objects, (SELECT count(*) FROM ${schema}log) AS log,
         (SELECT count(*) FROM ${schema}change_sets) AS "changeSets", (SELECT count(*) FROM ${schema}keys) AS keys,
         (SELECT count(*) FROM ${schema}records) AS records, (SELECT sum(value) FROM ${schema}counters) AS counted`

/** Throws unless these are exactly the rows of what was acknowledged: same work on both sides, nothing lost. */
export function compareRows(
  { name, acknowledged: { puts, creates } }: Pick<Contender, 'name' | 'acknowledged'>,
  found: Readonly<Record<string, unknown>>,
): void {
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
    if (Number(found[what]) !== count) throw new Error(`${name} acknowledged ${count} ${what}, holds ${found[what]}`)
}
