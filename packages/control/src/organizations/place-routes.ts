import type { BaseStatus, StoredObject, View } from '@stead/engine'
import type { TSchema } from 'typebox'
import { placeId } from '../door/access.ts'
import { read } from '../door/replies.ts'
import { type Route, route } from '../door/route.ts'
import type { Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import type { PatchValue } from '../resource/bodies.ts'
import { concludePatch } from '../resource/conclude.ts'
import type { Resource } from '../resource/resource.ts'
import { concludeDelete, DeleteQuery } from '../teardown/delete.ts'
import type { Whole } from '../teardown/model.ts'

export interface PlaceNoun<Spec extends TSchema> {
  readonly resource: Resource<Spec, BaseStatus>
  readonly scope: 'organization' | 'project'
  readonly whole: Whole
  /** What stands in the way of its end, for the reference. */
  readonly endsAfter: string
  /** Turns the names in a patch into ids, as they are meant in the place. */
  readonly resolve?: (body: PatchValue, everything: View, place: Place) => PatchValue
}

/** Reading, changing and ending a place itself: an organization or a project. It is in itself, so it is found there. */
export function placeRoutes<Spec extends TSchema>({
  resource,
  scope,
  whole,
  endsAfter,
  resolve = body => body,
}: PlaceNoun<Spec>): readonly Route[] {
  const { kind, noun, schema, patch } = resource
  const at = { path: `/v1/${noun}/:${scope}`, scope }
  const one = scope === 'organization' ? 'an organization' : 'a project'
  const may = (verb: string) => `${noun}:${verb}` as Permission
  const find = (objects: View, _text: string, place: Place) => {
    const found = objects.get<StoredObject<never, BaseStatus>>(kind, placeId(place))
    return found ? [found] : []
  }
  const target = { kind, find }
  return [
    route({
      ...at,
      method: 'GET',
      summary: `Read ${one}`,
      permission: may('read'),
      target,
      replies: { 200: schema },
      handle: ({ target }) => read(resource, target),
    }),
    route({
      ...at,
      method: 'PATCH',
      summary: `Change ${one}`,
      permission: may('update'),
      target,
      body: patch,
      replies: { 200: schema },
      handle: ({ target, body, place }, services) =>
        concludePatch(services, resource, { target, body: resolve(body, services.everything, place) }),
    }),
    route({
      ...at,
      method: 'DELETE',
      summary: `Delete ${one}`,
      description: `Refused with \`in_use\` while it has ${endsAfter}, unless \`cascade\` is said: then that goes first.`,
      permission: may('delete'),
      target,
      query: DeleteQuery,
      replies: { 202: schema },
      handle: (request, services) => concludeDelete(services, { whole, resource }, request),
    }),
  ]
}
