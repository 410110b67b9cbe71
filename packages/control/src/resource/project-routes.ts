import type { Store, StoredObject, View } from '@stead/engine'
import type { Static, TProperties, TSchema } from 'typebox'
import { type Listing, type ListQuery, listQuery, listReply } from '../door/list.ts'
import { read } from '../door/replies.ts'
import { type Request, type Route, route } from '../door/route.ts'
import { eventsRoute } from '../events/route.ts'
import type { Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import { concludeDelete, DeleteQuery } from '../teardown/delete.ts'
import type { EndingStatus, Whole } from '../teardown/model.ts'
import type { PatchValue } from './bodies.ts'
import { concludePatch } from './conclude.ts'
import type { Resource } from './resource.ts'
import type { Patched } from './write.ts'

/** Where something is looked for. */
export interface Around {
  /** All that is in the project. */
  readonly objects: View
  readonly everything: View
  readonly place: Place
}

export interface ProjectNoun<Spec extends TSchema, Status extends EndingStatus, Filters extends TProperties> {
  readonly resource: Resource<Spec, Status>
  readonly store: Pick<Store, 'records'>
  readonly whole: Whole
  /** `a network`, for the reference. */
  readonly one: string
  /** How a path names one: `network` in `/networks/:network`. */
  readonly param: string
  /** What can be changed of it, and what stands in the way of its end, for the reference. */
  readonly changes: string
  readonly endsAfter: string
  /** Whether what stands in the way can be ended with it; it can unless said. */
  readonly cascades?: false
  /** What lists can be asked besides, and which objects that leaves. */
  readonly filters?: Filters
  readonly only?: (
    query: ListQuery & Record<keyof Filters, string | undefined>,
    around: Around,
  ) => Listing<StoredObject<Static<Spec>, Status>>['only']
  /** Turns what a patch says into the form in which it is kept: names into ids. */
  readonly resolve?: (body: PatchValue, around: Around) => PatchValue
  /** Throws for what the schema cannot say of a change. */
  readonly check?: (after: Patched<Static<Spec>>, asking: Pick<Request, 'caller' | 'place'>) => void
}

/** Everything but making one: how things in a project are listed, read, changed and deleted, and what happened to them. */
export function projectNounRoutes<Spec extends TSchema, Status extends EndingStatus, Filters extends TProperties>(
  noun: ProjectNoun<Spec, Status, Filters>,
): readonly Route[] {
  const { resource, store, whole, one, param, changes, endsAfter, cascades, filters, only, resolve, check } = noun
  const { kind, noun: nouns, schema, list, patch } = resource
  const many = `/v1/projects/:project/${nouns}`
  const scope = 'project'
  const target = { kind, param }
  const at = { path: `${many}/:${param}`, scope, target } as const
  const may = (verb: string) => `${nouns}:${verb}` as Permission
  return [
    route({
      method: 'GET',
      path: many,
      summary: `List the ${nouns.replaceAll('-', ' ')} of a project`,
      scope,
      permission: may('read'),
      query: listQuery(filters ?? {}),
      replies: { 200: list },
      handle({ objects, place, query }, { everything }) {
        const wanted = only?.(query as Parameters<typeof only>[0], { objects, place, everything })
        return listReply({ objects, place, query, resource, ...(wanted && { only: wanted }) })
      },
    }),
    route({
      ...at,
      method: 'GET',
      summary: `Read ${one}`,
      permission: may('read'),
      replies: { 200: schema },
      handle: ({ target }) => read(resource, target),
    }),
    route({
      ...at,
      method: 'PATCH',
      summary: `Change ${changes} of ${one}`,
      permission: may('update'),
      body: patch,
      replies: { 200: schema },
      handle({ target, body, objects, caller, place }, services) {
        const { everything } = services
        const resolved = resolve ? resolve(body, { objects, place, everything }) : body
        return concludePatch(services, resource, { target, body: resolved }, after => check?.(after, { caller, place }))
      },
    }),
    route({
      ...at,
      method: 'DELETE',
      summary: `Delete ${one}`,
      description: `Refused with \`in_use\` while ${endsAfter}${cascades === false ? '.' : ', unless `cascade` is said: then that goes first.'}`,
      permission: may('delete'),
      ...(cascades !== false && { query: DeleteQuery }),
      replies: { 202: schema },
      handle: ({ target, caller, query = {} }, services) =>
        concludeDelete(services, { whole, resource }, { target, caller, query }),
    }),
    eventsRoute({ ...at, path: `${at.path}/events`, permission: may('read'), store }),
  ]
}
