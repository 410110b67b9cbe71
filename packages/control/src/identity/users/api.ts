import { changeSet, type View } from '@stead/engine'
import { listQuery, listReply } from '../../door/list.ts'
import { accepted, ok, read } from '../../door/replies.ts'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { concludeUpdate } from '../../resource/conclude.ts'
import { Labels } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'
import { concludeDelete } from '../../teardown/delete.ts'
import type { Whole } from '../../teardown/model.ts'
import type { Place } from '../caller.ts'
import { grantKey } from '../grants/model.ts'
import { isMember } from '../grants/resolve.ts'
import { grantsOf } from '../rights.ts'
import { User, usersByEmail } from './model.ts'

const UserPatch = Type.Object(
  {
    displayName: Type.Optional(Type.Union([Type.String({ maxLength: 255 }), Type.Null()])),
    labels: Type.Optional(Labels),
    disabled: Type.Optional(Type.Boolean({ description: 'What they have open ends, and they cannot come in.' })),
  },
  { title: 'UserPatch' },
)

/** A user by id or email. */
export const findUsers = (everything: View, text: string): readonly User[] => {
  if (text.includes('@'))
    return everything.list({ kind: User.kind, index: { name: usersByEmail.name, key: text.toLowerCase() } }).items
  const found = everything.get(User.kind, text)
  return found ? [found] : []
}

/** One who holds something in the organization: anybody else does not exist there. */
function member(everything: View, place: Place, text: string): User {
  const found = findUsers(everything, text).find(({ id }) => isMember(everything, id, place))
  if (!found) throw fail('not_found', `there is no user ${JSON.stringify(text)} here`)
  return found
}

const target = { kind: User.kind, find: findUsers }
const members = '/v1/organizations/:organization/users'
const Member = Type.Object({ user: Type.String({ description: 'Id or email.' }) })

/** People: all of them for the platform, those who hold something there for an organization. */
export const userRoutes = (whole: Whole): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/users',
    summary: 'List everybody',
    scope: 'platform',
    permission: 'users:read',
    query: listQuery({}),
    replies: { 200: User.list },
    handle: request => listReply({ ...request, resource: User }),
  }),
  route({
    method: 'GET',
    path: '/v1/users/:user',
    summary: 'Read a user, by id or email',
    scope: 'platform',
    permission: 'users:read',
    target,
    replies: { 200: User.schema },
    handle: ({ target }) => read(User, target),
  }),
  route({
    method: 'PATCH',
    path: '/v1/users/:user',
    summary: 'Change a user: disable them, or let them in again',
    scope: 'platform',
    permission: 'users:update',
    target,
    body: UserPatch,
    replies: { 200: User.schema },
    handle({ target, body: { displayName, labels, disabled } }, services) {
      const { displayName: before, generation: _generation, revision: _revision, ...rest } = target
      const shown = displayName === undefined ? before : (displayName ?? undefined)
      const to = {
        ...rest,
        ...(shown !== undefined && { displayName: shown }),
        ...(labels && { labels }),
        spec: { ...target.spec, ...(disabled !== undefined && { disabled }) },
      }
      return concludeUpdate(services, User, { from: target, to })
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/users/:user',
    summary: 'Delete a user, with their tokens, sessions and grants',
    scope: 'platform',
    permission: 'users:delete',
    target,
    replies: { 202: User.schema },
    handle: ({ target, caller }, services) =>
      concludeDelete(services, { whole, resource: User }, { target, caller, query: {} }),
  }),
  route({
    method: 'GET',
    path: members,
    summary: 'List who holds something in an organization',
    scope: 'organization',
    permission: 'users:read',
    query: listQuery({}),
    replies: { 200: User.list },
    handle({ place, query }, { everything }) {
      const where = ({ id }: User) => isMember(everything, id, place)
      return listReply({ objects: everything, place, query, resource: User, only: { where } })
    },
  }),
  route({
    method: 'GET',
    path: `${members}/:user`,
    summary: 'Read a user who holds something in an organization',
    scope: 'organization',
    permission: 'users:read',
    params: Member,
    replies: { 200: User.schema },
    handle: ({ params, place }, { everything }) => ok(User, member(everything, place, params.user)),
  }),
  route({
    method: 'DELETE',
    path: `${members}/:user`,
    summary: 'Take everything from a user that they hold in an organization and its projects',
    scope: 'organization',
    permission: 'users:delete',
    params: Member,
    replies: { 202: User.schema },
    handle({ params, place }, { world, everything, conclude }) {
      const user = member(everything, place, params.user)
      const set = changeSet(world)
      for (const grant of grantsOf(everything, user.id))
        if (place.type !== 'platform' && grant.organizationId === place.organizationId)
          set.remove(grant).release(grantKey(grant), grant.id)
      return conclude(set, () => accepted(User, user))
    },
  }),
]
