import { readFileSync } from 'node:fs'

/**
 * One step of the schema. Never edit one that has been released: add the next.
 *
 * Nodes of two versions run side by side while users upgrade. So a step only adds: tables, columns with a default, and
 * procedures under a new name, while the old ones stay. What takes something away, or changes what it means, raises
 * `minimum` and comes at least one release after the program has stopped to need it.
 */
export interface Migration {
  readonly version: number
  /** The oldest schema version a program may know and still use a database at this version. */
  readonly minimum: number
  readonly sql: () => string
}

const files = (names: readonly string[]) => () =>
  names.map(name => readFileSync(new URL(`sql/${name}`, import.meta.url), 'utf8')).join('\n')

export const migrations: readonly Migration[] = [
  { version: 1, minimum: 1, sql: files(['0001-tables.sql', '0001-commit-batch.sql', '0001-upkeep.sql']) },
  { version: 2, minimum: 1, sql: files(['0002-series.sql']) },
]

/** What this program knows. */
export const schemaVersion = migrations.at(-1)!.version
