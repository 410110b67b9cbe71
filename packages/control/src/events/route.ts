import type { Store } from '@stead/engine'
import { type Route, route, type Scope, type Target } from '../door/route.ts'
import type { Permission } from '../identity/permissions.ts'
import { recordListSchema, recordQuery, recordsReply } from '../records/list.ts'
import { sourceOf } from '../records/read.ts'
import { Type } from '../schema/type.ts'
import { Event, eventScope, eventsTable, presentEvent } from './model.ts'

export interface EventsRouteOptions {
  /** `/v1/projects/:project/widgets/:widget/events` */
  readonly path: string
  readonly scope: Scope
  readonly permission: Permission
  readonly target: Target
  readonly store: Pick<Store, 'records'>
}

/** The organization or project of the path itself. It is in itself, so it is all there is of its kind there. */
export const thePlace = (kind: 'organization' | 'project'): Target => ({
  kind,
  find: objects => objects.list({ kind }).items,
})

const EventList = recordListSchema(Event, 'EventList')

/** What happened to one object, newest first. */
export const eventsRoute = ({ path, scope, permission, target, store }: EventsRouteOptions): Route =>
  route({
    method: 'GET',
    path,
    summary: `Read what happened to ${/^[aeiou]/.test(target.kind) ? 'an' : 'a'} ${target.kind}`,
    scope,
    permission,
    target,
    query: recordQuery({
      reason: Type.Optional(
        Type.Array(Type.String({ maxLength: 64 }), { maxItems: 20, description: 'Only those: `Unhealthy,Healthy`.' }),
      ),
    }),
    replies: { 200: EventList },
    handle({ target: object, place, query }) {
      const source = sourceOf(store, { table: eventsTable, scope: eventScope(object), subject: object.id })
      const { reason: reasons } = query
      const matches = ({ body }: { readonly body: unknown }) => reasons!.includes((body as Event).reason)
      return recordsReply({ source, place, query, present: presentEvent, ...(reasons && { matches }) })
    },
  })
