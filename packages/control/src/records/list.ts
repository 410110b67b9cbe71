import type { StoredRecord } from '@stead/engine'
import { type Instant, instant } from '@stead/world'
import type { Static, TProperties, TSchema } from 'typebox'
import { fingerprint, readCursor, writeCursor } from '../door/cursor.ts'
import type { Reply } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import type { Place } from '../identity/caller.ts'
import { listSchema } from '../resource/model.ts'
import { Type } from '../schema/type.ts'
import { countRecords, mostCounted, type RecordSource, readPage, type Wanted } from './read.ts'

const recordParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 1_024, description: 'The nextCursor of the page before.' })),
  since: Type.Optional(Type.String({ maxLength: 64, description: 'Not older than this: `2026-11-15T12:00:00Z`.' })),
  until: Type.Optional(Type.String({ maxLength: 64, description: 'Older than this.' })),
}

/** What every list of records can be asked, and what one adds of its own. */
export const recordQuery = <Filters extends TProperties>(filters: Filters = {} as Filters) =>
  Type.Object({ ...recordParameters, ...filters })

const RecordQuery = Type.Object(recordParameters)
export type RecordQuery = Static<typeof RecordQuery>

/** Many records, newest first. A page may be short, even empty, and still have a `nextCursor`. */
export const recordListSchema = (item: TSchema, title: string) => {
  const { properties } = listSchema(item)
  const { items, nextCursor, total } = properties
  const totalIsExact = Type.Boolean({
    description: `Whether there are just \`total\`; counted are ${mostCounted} at most.`,
  })
  return Type.Object({ items, nextCursor, total, totalIsExact }, { title })
}

export interface RecordListing {
  readonly source: RecordSource
  readonly place: Place
  readonly query: RecordQuery
  readonly matches?: Wanted['matches']
  /** What becomes of those found, where they only point at what is shown. */
  readonly resolve?: (found: readonly StoredRecord[]) => Promise<readonly StoredRecord[]>
  readonly present: (record: StoredRecord) => unknown
}

/** One page of a list of records. How many there are is counted for the first page, and goes along in the cursor. */
export async function recordsReply(listing: RecordListing): Promise<Reply> {
  const { source, place, query, matches, resolve, present } = listing
  const { limit, cursor, ...filters } = query
  const list = fingerprint(place, filters)
  const position = cursor === undefined ? undefined : readPosition(cursor, list)
  const wanted = { ...timesOf(query), ...(matches && { matches }) }
  const [page, counted] = await Promise.all([
    readPage(source, wanted, { before: position?.before, limit }),
    position?.counted ?? countRecords(source, wanted),
  ])
  const { count, isExact } = counted
  const key = isExact ? String(count) : `${count}+`
  return {
    status: 200,
    body: {
      items: ((await resolve?.(page.records)) ?? page.records).map(present),
      nextCursor: page.next === undefined ? null : writeCursor({ id: String(page.next), key }, list),
      total: count,
      totalIsExact: isExact,
    },
  }
}

/** The moments a query speaks of. */
export const timesOf = ({ since, until }: Pick<RecordQuery, 'since' | 'until'>): Pick<Wanted, 'since' | 'until'> => ({
  since: timeOf('since', since),
  until: timeOf('until', until),
})

/** A moment as callers write it; undefined for anything else. */
export function readTime(text: string): Instant | undefined {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const moment = isTime ? Date.parse(text) : Number.NaN
  return Number.isNaN(moment) ? undefined : instant(moment)
}

function timeOf(name: string, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined
  const moment = readTime(text)
  if (moment !== undefined) return moment
  const message = 'must be a time like 2026-11-15T12:00:00Z'
  throw fail('invalid_request', `${name} ${message}`, { errors: [{ path: `?${name}`, message }] })
}

function readPosition(cursor: string, list: string) {
  const { id, key } = readCursor(cursor, list)
  const [, count, more] = /^(\d{1,9})(\+?)$/.exec(String(key)) ?? []
  const before = Number(id)
  if (count === undefined || !Number.isSafeInteger(before))
    throw fail('invalid_request', 'the cursor is not one we gave')
  return { before, counted: { count: Number(count), isExact: more === '' } }
}
