import type { RecordQuery, Store, StoredRecord } from '@stead/engine'
import type { Instant } from '@stead/world'

/** Where records come from, newest first: those with a smaller sequence than `before`, at most `limit`. */
export type RecordSource = (before: number | undefined, limit: number) => Promise<readonly StoredRecord[]>

/** The records of one scope in a table, or those on one subject there. */
export const sourceOf =
  (store: Pick<Store, 'records'>, query: Pick<RecordQuery, 'table' | 'scope' | 'subject'>): RecordSource =>
  (before, limit) =>
    store.records({ ...query, limit, ...(before !== undefined && { before }) })

export interface Wanted {
  /** Not older than this … */
  readonly since?: Instant | undefined
  /** … and older than this. */
  readonly until?: Instant | undefined
  readonly matches?: (record: StoredRecord) => boolean
}

export interface RecordPage {
  readonly records: readonly StoredRecord[]
  /** The sequence before which the next page begins; undefined when there is no more. */
  readonly next: number | undefined
}

/** Read at once. A record is some hundred bytes: large enough to make few calls, small enough to answer between others. */
const chunk = 500

/**
 * Looked at for one page, whatever the filters leave of it. A page may so have fewer than it could, even none, and still
 * a `next`: what one request costs does not depend on how rare the things it asks for are.
 */
const mostLookedAt = 10_000

/** One page of what is wanted, newest first. */
export async function readPage(
  source: RecordSource,
  wanted: Wanted,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<RecordPage> {
  const records: StoredRecord[] = []
  let edge = before ?? (await beginning(source, wanted.until))
  for (let seen = 0; seen < mostLookedAt; ) {
    const asked = wanted.matches ? chunk : Math.min(chunk, limit - records.length + 1)
    const found = await source(edge, asked)
    for (const record of found) {
      if (wanted.since !== undefined && record.at < wanted.since) return { records, next: undefined }
      if (records.length === limit) return { records, next: edge }
      edge = record.sequence
      if (isWanted(record, wanted)) records.push(record)
    }
    if (found.length < asked) return { records, next: undefined }
    seen += found.length
  }
  return { records, next: edge }
}

/** How many there are, counted up to a bound: `isExact` says whether that was all. */
export interface RecordCount {
  readonly count: number
  readonly isExact: boolean
}

/** Counted at the most. Nobody pages through more by hand, and counting all would read all. */
export const mostCounted = 1_000

/** Counts what is wanted. */
export async function countRecords(source: RecordSource, wanted: Wanted): Promise<RecordCount> {
  const { records, next } = await readPage(source, wanted, { before: undefined, limit: mostCounted })
  return { count: records.length, isExact: next === undefined }
}

const isWanted = (record: StoredRecord, { until, matches }: Wanted): boolean =>
  (until === undefined || record.at < until) && (matches?.(record) ?? true)

/**
 * The sequence at which records older than a moment end, found by halving: sequences and times grow together. About 20
 * reads of one record for a million of them.
 */
async function beginning(source: RecordSource, until: Instant | undefined): Promise<number | undefined> {
  if (until === undefined) return undefined
  let [high] = await source(undefined, 1)
  if (!high || high.at < until) return undefined
  // `high` is too new; what there is at `low` and before it is old enough.
  for (let low = 0; high.sequence - low > 1; ) {
    const middle = Math.floor((low + high.sequence) / 2)
    const [newest]: readonly StoredRecord[] = await source(middle + 1, 1)
    if (newest && newest.sequence > low && newest.at >= until) high = newest
    else low = middle
  }
  return high.sequence
}
