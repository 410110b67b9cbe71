import { decodeEntry } from '../encoding.ts'
import type { LogPage } from '../log/tail.ts'
import type { Revision } from '../words/object.ts'

/** The store's state, seen by the same read as a stretch of the log. */
export interface StoreState {
  readonly head: Revision
  readonly compacted: Revision
  readonly epoch: number
  readonly observeOnly: boolean
  /** The oldest version of the schema that may still use this database. */
  readonly minimumVersion: number
}

/** A row of the answer. */
export interface LogRow {
  readonly revision: Revision
  readonly at: number
  readonly changes: string
}

/** A change-set may weigh 16 MiB: no more of them at once than fit in memory with ease. */
export const pageBytes = 8 * 1_048_576

/**
 * $1: after which revision, $2: at most how many entries, $3: no more once they weigh this much.
 * One statement, so one snapshot: the first row, of revision 0, is the state that goes with the entries.
 */
export const logPageSql = `
  SELECT 0 AS revision, 0 AS at, json_build_object(
      'head', coalesce((SELECT max(revision) FROM stead.log), s.compacted), 'compacted', s.compacted, 'epoch', s.epoch,
      'observeOnly', s.observe_only, 'minimumVersion', s.minimum_version)::text AS changes
    FROM stead.state s
  UNION ALL
  SELECT l.revision, l.at, l.changes FROM (
    SELECT *, sum(octet_length(changes)) OVER (ORDER BY revision) - octet_length(changes) AS before
    FROM (SELECT * FROM stead.log WHERE revision > $1 ORDER BY revision LIMIT $2) page
  ) l WHERE l.before < $3
  ORDER BY revision`

export interface StatePage extends LogPage {
  readonly state: StoreState
}

export function decodePage(rows: readonly LogRow[]): StatePage {
  const [first, ...entries] = rows
  const state = JSON.parse(first!.changes) as StoreState
  return { state, compacted: state.compacted, entries: entries.map(decodeEntry) }
}
