import type { Change } from '@stead/engine'
import type { TSchema } from 'typebox'
import { fail } from '../errors/problem.ts'
import type { Caller, Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import { jsonSchema } from '../schema/json-schema.ts'
import { shapeOf } from '../schema/shape.ts'
import { Type } from '../schema/type.ts'
import { encodeEvent } from './event-stream.ts'
import { type Route, route, type Scope } from './route.ts'

/** A kind that can be watched: what a reader must hold, and what they see. A `Resource` is one. */
export interface Watchable {
  readonly kind: string
  /** `widgets`: reading needs `widgets:read`. */
  readonly noun: string
  readonly schema: TSchema
  readonly present: (object: never) => object
}

export interface WatchRouteOptions {
  /** `/v1/projects/:project/watch` */
  readonly path: string
  readonly scope: Scope
  readonly permission: Permission
  readonly kinds: readonly Watchable[]
}

const WatchQuery = Type.Object({
  kinds: Type.Optional(
    Type.Array(Type.String(), { description: 'Kinds to watch; all that the caller may read unless said.' }),
  ),
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The revision after which to begin, as a list answers it; now unless said.',
    }),
  ),
})

const description = [
  'Events are `put` and `remove`, with the object as data and the revision as id; of several changes made together the',
  'last has it. `heartbeat` comes every 15 s and carries the revision reached. `gone` means that the log no longer reaches',
  'back to where the reader was: list again, then watch from the revision of the list. `end` says why the server ended',
  'the stream. A client that comes back sends Last-Event-ID and misses nothing.',
].join(' ')

/** A stream of everything that happens to some kinds at a place. */
export function watchRoute({ path, scope, permission, kinds }: WatchRouteOptions): Route {
  const known = new Map(kinds.map(kind => [kind.kind, { ...kind, encode: encoder(kind) }]))
  const readable = (caller: Caller, place: Place) =>
    [...known.values()].filter(({ noun }) => caller.may(`${noun}:read` as Permission, place)).map(({ kind }) => kind)

  return route({
    method: 'GET',
    path,
    summary: 'Watch what happens, as server-sent events',
    description,
    scope,
    permission,
    query: WatchQuery,
    replies: { 200: Type.String({ contentMediaType: 'text/event-stream' }) },
    refuses: ['gone'],
    async handle({ query, caller, place, lastEventId }, { follow }) {
      const asked = query.kinds ?? readable(caller, place)
      const unknown = asked.filter(kind => !known.has(kind))
      if (unknown.length > 0) throw unknownKinds([...known.keys()])
      const mayRead = () => {
        const now = readable(caller, place)
        return asked.every(kind => now.includes(kind))
      }
      if (asked.length === 0 || !mayRead())
        throw fail('not_found', 'there is nothing of these kinds that you may read here')
      const wanted = new Set(asked)
      const show = (change: Change) =>
        wanted.has(change.object.kind) ? known.get(change.object.kind)!.encode(change) : undefined
      const since = lastEventId === undefined ? query.since : revisionOf(lastEventId)
      return { ...(await follow({ place, since, show })), stillAllowed: mayRead }
    },
  })
}

function unknownKinds(kinds: readonly string[]) {
  const message = `must be among ${kinds.join(', ')}`
  return fail('invalid_request', `kinds ${message}`, { errors: [{ path: '?kinds', message }] })
}

function revisionOf(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId)
  const message = 'must be the id of an event of this stream'
  throw fail('invalid_request', `Last-Event-ID ${message}`, { errors: [{ path: 'Last-Event-ID', message }] })
}

/** Many readers see the same change in the same words: it is written once. */
function encoder(kind: Watchable): (change: Change) => string {
  const shape = shapeOf(jsonSchema(kind.schema))
  const encoded = new WeakMap<Change, string>()
  return change => {
    let text = encoded.get(change)
    if (text === undefined) {
      const data = JSON.stringify(shape(kind.present(change.object as never)))
      text = encodeEvent({ event: change.op, data })
      encoded.set(change, text)
    }
    return text
  }
}
