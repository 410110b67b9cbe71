import { type ChangeSetBuilder, changeSet, type View } from '@stead/engine'
import type { World } from '@stead/world'
import { onKey } from '../../door/conflicts.ts'
import { created, ok } from '../../door/replies.ts'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { DisplayName } from '../../resource/bodies.ts'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import { nobody } from '../caller.ts'
import { proves, readCredential } from '../credential.ts'
import { Grant, grantKey, placeOf } from '../grants/model.ts'
import { NewPassword, setPassword } from '../passwords/model.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { arrival } from '../principals.ts'
import { grantsOf } from '../rights.ts'
import { Role } from '../roles/model.ts'
import { Session } from '../sessions/model.ts'
import { findUsers } from '../users/api.ts'
import { User, userEmail } from '../users/model.ts'
import { Invitation } from './model.ts'

const InvitationToken = secret(Type.String({ maxLength: 200 }))

interface House {
  readonly everything: View
  readonly world: World
}

/** The invitation that a token is for. Used ones are gone; one answer for every reason why not. */
function find({ everything, world }: House, token: string): Invitation {
  const shown = readCredential('inv', token)
  const found = shown && everything.get(Invitation.kind, shown.id)
  if (found && proves(shown.secret, found.spec.hash) && found.spec.expiresAt > world.now()) return found
  throw unknown()
}

const unknown = () =>
  fail('not_found', 'this invitation is unknown, was used or withdrawn, or has expired', {
    suggestion: 'ask for a new invitation',
  })

/** Gives what was promised. That the invitation is removed in the same change-set is what makes it good for once. */
function redeem(set: ChangeSetBuilder, { everything, world }: House, invitation: Invitation, principal: string): void {
  const { spec } = invitation
  const place = placeOf(invitation)
  buildingOn(set.remove(invitation), ...placeObjects(everything, place))
  const own = spec.role === undefined ? undefined : everything.get(Role.kind, spec.role)
  if (own) buildingOn(set, own)
  const caller = { ...nobody, principalId: invitation.createdBy ?? principal }
  const grant = Grant.draft({ world, place, caller, labels: {}, spec: { principal, role: spec.role! }, status: {} })
  const key = grantKey(grant)
  if (grantsOf(everything, principal).some(held => grantKey(held) === key)) return
  set.create(grant).take(key, grant.id)
}

/** Ends every session of a user but one. */
export function endSessions(set: ChangeSetBuilder, everything: View, { kind, id }: User, but?: string): void {
  for (const session of everything.list({ kind: Session.kind, owner: { kind, id } }).items)
    if (session.id !== but) set.remove(session)
}

export const acceptRoutes = (passwords: Passwords): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/invitations/accept',
    summary: 'Accept an invitation: choose a password and become a user, or choose a new password',
    scope: 'platform',
    permission: 'public',
    body: Type.Object({
      token: InvitationToken,
      password: NewPassword,
      displayName: Type.Optional(DisplayName),
    }),
    replies: { 200: User.schema, 201: User.schema },
    conflicts: [onKey('user-email/', () => signInFirst())],
    async handle({ body: { token, password, displayName } }, { world, everything, conclude, cameInAs }) {
      const house = { world, everything }
      const invitation = find(house, token)
      const { email, user: renewing } = invitation.spec
      const set = changeSet(world)
      if (renewing !== undefined) {
        const existing = everything.get(User.kind, renewing)
        if (!existing) throw unknown()
        set.remove(invitation)
        setPassword(buildingOn(set, existing), house, existing, await passwords.hash(password))
        endSessions(set, everything, existing)
        cameInAs(arrival(existing, invitation.id))
        return conclude(set, () => ok(User, existing))
      }
      if (findUsers(everything, email).length > 0) throw signInFirst()
      const draft = User.draft({
        world,
        place: { type: 'platform' },
        caller: { ...nobody, principalId: invitation.createdBy ?? nobody.principalId },
        labels: {},
        ...(displayName !== undefined && { displayName }),
        spec: { email },
        status: {},
      })
      redeem(set.create(draft).take(userEmail(email), draft.id), house, invitation, draft.id)
      setPassword(set, house, draft, await passwords.hash(password))
      cameInAs(arrival(draft, invitation.id))
      return conclude(set, outcome => created(User, outcome.object(draft)))
    },
  }),
  route({
    method: 'POST',
    path: '/v1/me/invitations',
    summary: 'Accept an invitation as the user who is signed in',
    scope: 'platform',
    permission: 'authenticated',
    body: Type.Object({ token: InvitationToken }),
    replies: { 200: User.schema },
    handle({ body, caller }, { world, everything, conclude }) {
      const house = { world, everything }
      const invitation = find(house, body.token)
      const user = everything.get(User.kind, caller.principalId)
      if (!user || user.spec.email !== invitation.spec.email || invitation.spec.role === undefined)
        throw fail('forbidden', 'this invitation is for somebody else')
      const set = changeSet(world)
      redeem(buildingOn(set, user), house, invitation, user.id)
      return conclude(set, () => ok(User, user))
    },
  }),
]

const signInFirst = () =>
  fail('invalid_state', 'there is a user with this email already', {
    suggestion: 'sign in, then accept the invitation with POST /v1/me/invitations',
  })
