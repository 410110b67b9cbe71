import { changeSet, type Kind, type StoredObject, type View } from '@stead/engine'
import { listQuery, listReply } from '../../door/list.ts'
import { accepted } from '../../door/replies.ts'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import type { LastUse } from '../../marks/last-use.ts'
import { Type } from '../../schema/type.ts'
import type { Caller } from '../caller.ts'
import { endSessions } from '../invitations/accept.ts'
import type { Guessing } from '../passwords/guessing.ts'
import { GivenPassword, NewPassword, passwordOf, setPassword } from '../passwords/model.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { SessionCookie } from '../sessions/cookie.ts'
import { Session } from '../sessions/model.ts'
import { makeToken, NewToken, TokenWrite, withLastUse } from '../tokens/api.ts'
import { Token } from '../tokens/model.ts'
import { User } from '../users/model.ts'

/** The user who asks. Programs have nothing of their own here: their tokens are their organization's to make. */
function userOf(everything: View, { principalId }: Caller): User {
  const user = everything.get(User.kind, principalId)
  if (!user) throw fail('forbidden', 'this is for people: tokens of service accounts are made where the accounts are')
  return user
}

/** Something of the caller's own, by id. */
function own<T extends StoredObject>(everything: View, { principalId }: Caller, kind: Kind<T>, id: string): T {
  const found = everything.get(kind, id)
  if (found?.owner?.id !== principalId) throw fail('not_found', `there is no ${kind} ${JSON.stringify(id)} of yours`)
  return found
}

const ofCaller = ({ principalId: id }: Caller) => ({ owner: { kind: 'user', id } })

export interface MeSources {
  readonly lastUse: LastUse
  readonly passwords: Passwords
  readonly guessing: Guessing
  readonly cookie: SessionCookie
}

/** What people manage for themselves. */
export const meRoutes = ({ lastUse, passwords, guessing, cookie }: MeSources): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/me/tokens',
    summary: 'Make a token for oneself; it is shown once',
    description: 'Only from a session: a token that leaks must not be able to make others that outlive it.',
    scope: 'platform',
    permission: 'authenticated',
    body: TokenWrite,
    replies: { 201: NewToken },
    handle(request, services) {
      const user = userOf(services.everything, request.caller)
      if (request.caller.credentialId.startsWith('tok_'))
        throw fail('forbidden', 'a token cannot make tokens for its owner: sign in to make one')
      return makeToken(request, services, user)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/me/tokens',
    summary: 'List the caller’s own tokens',
    scope: 'platform',
    permission: 'authenticated',
    query: listQuery({}),
    replies: { 200: Token.list },
    async handle({ caller, objects, place, query }) {
      const only = ofCaller(caller)
      const resource = await withLastUse(lastUse, objects.list({ kind: Token.kind, ...only }).items)
      return listReply({ objects, place, query, resource, only })
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/me/tokens/:token',
    summary: 'Revoke a token of the caller’s own',
    scope: 'platform',
    permission: 'authenticated',
    params: Type.Object({ token: Type.String() }),
    replies: { 202: Token.schema },
    handle({ caller, params }, { everything, world, conclude }) {
      const token = own(everything, caller, Token.kind, params.token)
      return conclude(changeSet(world).remove(token), () => accepted(Token, token))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/me/sessions',
    summary: 'List where the caller is signed in',
    scope: 'platform',
    permission: 'authenticated',
    query: listQuery({}),
    replies: { 200: Session.list },
    handle: ({ caller, objects, place, query }) =>
      listReply({ objects, place, query, resource: Session, only: ofCaller(caller) }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/me/sessions/:session',
    summary: 'Sign out: `current`, or any session of the caller’s own',
    scope: 'platform',
    permission: 'authenticated',
    params: Type.Object({ session: Type.String() }),
    replies: { 202: Session.schema },
    handle({ caller, params }, { everything, world, conclude }) {
      const id = params.session === 'current' ? caller.credentialId : params.session
      const session = own(everything, caller, Session.kind, id)
      const isThis = session.id === caller.credentialId
      return conclude(changeSet(world).remove(session), () => ({
        ...accepted(Session, session),
        ...(isThis && { headers: { 'set-cookie': cookie.clear() } }),
      }))
    },
  }),
  route({
    method: 'POST',
    path: '/v1/me/password',
    summary: 'Change one’s password; every other session ends',
    scope: 'platform',
    permission: 'authenticated',
    body: Type.Object({ current: GivenPassword, new: NewPassword }),
    replies: { 200: Type.Object({ changed: Type.Boolean() }) },
    async handle({ caller, body, address }, { everything, world, conclude }) {
      const user = userOf(everything, caller)
      guessing.count({ account: user.id, address })
      if (!(await passwords.verify(body.current, passwordOf(everything, user)?.spec.hash)))
        throw fail('forbidden', 'the current password is wrong')
      const set = changeSet(world)
      setPassword(set, { everything, world }, user, await passwords.hash(body.new))
      endSessions(set, everything, user, caller.credentialId)
      return conclude(set, () => ({ status: 200, body: { changed: true } }))
    },
  }),
]
