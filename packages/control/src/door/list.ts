import type { Criteria, Kind, StoredObject, View } from '@stead/engine'
import type { Static, TProperties } from 'typebox'
import { fail } from '../errors/index.ts'
import type { Place } from '../identity/caller.ts'
import type { Presented } from '../resource/present.ts'
import { Type } from '../schema/type.ts'
import { fingerprint, type Position, readCursor, writeCursor } from './cursor.ts'
import type { Reply } from './route.ts'

/**
 * Only what never changes of an object can be sorted by: else one that changes while a list is paged is missed or
 * doubled.
 */
const orders = {
  id: ({ id }: StoredObject) => id,
  name: ({ name }: StoredObject) => name ?? '',
  createdAt: ({ createdAt }: StoredObject) => createdAt as number,
}
type Order = keyof typeof orders
const sorts = Object.keys(orders).flatMap(order => [order as Order, `-${order as Order}` as const])

const listParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 1_024, description: 'The nextCursor of the page before.' })),
  labels: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Only those with these labels: `tier=web,env`.',
      maxItems: 64,
    }),
  ),
  name: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9-]{1,63}\\*?$|^\\*$', description: 'Only this name, or `prefix*`.' }),
  ),
  sort: Type.Enum(sorts, {
    default: 'id',
    description: 'What to sort by; `-` reverses. Ids are in order of creation.',
  }),
}

/** What every list can be asked, and what one adds of its own: `listQuery({ phase: Type.Optional(Phase) })`. */
export const listQuery = <Filters extends TProperties>(filters: Filters = {} as Filters) =>
  Type.Object({ ...listParameters, ...filters })

const ListQuery = Type.Object(listParameters)
export type ListQuery = Static<typeof ListQuery>

export interface Listing<Object extends StoredObject> {
  readonly objects: View
  readonly place: Place
  readonly query: ListQuery
  readonly resource: { readonly kind: Kind<Object>; present(object: Object): Presented }
  /** Which of them, besides what the query says. */
  readonly only?: Pick<Criteria<Object>, 'owner' | 'index' | 'where' | 'labels'>
}

/** One page of a list, all of one revision. */
export function listReply<Object extends StoredObject>(listing: Listing<Object>): Reply {
  const { query, place, resource } = listing
  const { limit, cursor, ...filters } = query
  const list = fingerprint(resource.kind, place, filters)
  const position = cursor === undefined ? undefined : readCursor(cursor, list)
  const { items, total, revision, next } =
    query.sort === 'id' ? pageById(listing, position) : pageSorted(listing, position)
  return {
    status: 200,
    body: {
      items: items.map(object => resource.present(object)),
      nextCursor: next ? writeCursor(next, list) : null,
      total,
      revision,
    },
  }
}

function pageById<Object extends StoredObject>(listing: Listing<Object>, position: Position | undefined) {
  const { objects, query } = listing
  const after = position && { after: position.id }
  const { next, ...page } = objects.list<Object>({ ...criteriaOf(listing), ...after, limit: query.limit })
  return { ...page, next: next === undefined ? undefined : { id: next } }
}

function pageSorted<Object extends StoredObject>(listing: Listing<Object>, position: Position | undefined) {
  const { objects, query } = listing
  const all = objects.list<Object>(criteriaOf(listing))
  const direction = query.sort.startsWith('-') ? -1 : 1
  const keyOf = orders[query.sort.replace('-', '') as Order]
  const positionOf = (object: StoredObject): Required<Position> => ({ id: object.id, key: keyOf(object) })
  const compare = (a: Position, b: Position) => direction * (by(a.key!, b.key!) || by(a.id, b.id))
  const left = all.items.filter(object => !position || compare(positionOf(object), position) > 0)
  const sorted = left.toSorted((a, b) => compare(positionOf(a), positionOf(b)))
  const items = sorted.slice(0, query.limit)
  const last = items.at(-1)
  return { ...all, items, next: last && sorted.length > items.length ? positionOf(last) : undefined }
}

const by = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

function criteriaOf<Object extends StoredObject>({ query, resource, only = {} }: Listing<Object>): Criteria<Object> {
  const { labels = [], name } = query
  const filters = labels.map(readLabel)
  const present = filters.filter(({ value }) => value === undefined).map(({ key }) => key)
  const equal = filters.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const]))
  const wanted = { ...Object.fromEntries(equal), ...only.labels }
  const prefix = name?.endsWith('*') ? name.slice(0, -1).toLowerCase() : undefined
  const tests = [
    present.length > 0 && ((object: Object) => present.every(key => Object.hasOwn(object.labels, key))),
    // One label cannot have two values, and what is asked for cannot undo what must be.
    equal.some(([key, value]) => wanted[key] !== value) && (() => false),
    prefix !== undefined && ((object: Object) => object.name?.startsWith(prefix) ?? false),
    only.where,
  ].filter(test => typeof test === 'function')
  return {
    ...only,
    kind: resource.kind,
    labels: wanted,
    ...(name !== undefined && prefix === undefined && { name: name.toLowerCase() }),
    ...(tests.length > 0 && { where: (object: Object) => tests.every(test => test(object)) }),
  }
}

/** `tier=web`: the label is this; `tier`: there is one. */
function readLabel(filter: string): { readonly key: string; readonly value?: string } {
  const [key] = filter.split('=', 1) as [string]
  if (key !== '') return key === filter ? { key } : { key, value: filter.slice(key.length + 1) }
  const message = 'must be key=value or key'
  throw fail('invalid_request', `a label filter ${message}`, { errors: [{ path: '?labels', message }] })
}
