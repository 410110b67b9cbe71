import { changeSet } from '@stead/engine'
import { after, type Duration, days } from '@stead/world'
import { listQuery, listReply } from '../../door/list.ts'
import { accepted, created, ok } from '../../door/replies.ts'
import { type Reply, type Request, type Route, route } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { fail } from '../../errors/index.ts'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import type { Place } from '../caller.ts'
import { mint } from '../credential.ts'
import { resolveProject, resolveRole } from '../grants/resolve.ts'
import { type Rights, refuseUnheld, rightsOf } from '../holding.ts'
import { heldBy } from '../rights.ts'
import { durationOf } from '../tokens/issue.ts'
import { findUsers } from '../users/api.ts'
import { User } from '../users/model.ts'
import { Email, Invitation, type InvitationSpec } from './model.ts'

const defaultLifetime: Duration = days(7)
const longestLifetime: Duration = days(30)

const fields = {
  email: Email,
  role: Type.String({ minLength: 1, maxLength: 63, description: 'What they will hold: name of a role, or its id.' }),
  expiresIn: Type.Optional(Type.String({ description: 'A duration such as 48h; 7d unless said, at most 30d.' })),
}

/** The only answer that ever holds the invitation's token. */
const NewInvitation = Type.Object(
  {
    token: secret(Type.String({ description: 'Shown once. Give it to the invited, and to nobody else.' })),
    ...Invitation.schema.properties,
  },
  { title: 'NewInvitation' },
)

interface Inviting {
  readonly place: Place
  readonly spec: Pick<InvitationSpec, 'email' | 'role' | 'user'>
  readonly expiresIn: string | undefined
  /** What whoever takes the link will be able to do. */
  readonly rights: readonly Rights[]
  readonly basis: Parameters<typeof buildingOn>[1][]
}

/** Makes an invitation, which is worth no more than what the caller holds. */
function invite(
  { caller }: Pick<Request, 'caller'>,
  { world, everything, conclude }: Services,
  { place, spec, expiresIn, rights, basis }: Inviting,
): Promise<Reply> {
  refuseUnheld(caller, rights, 'this invitation')
  const lifetime = durationOf(expiresIn, { otherwise: defaultLifetime, atMost: longestLifetime })
  const { id, text, hash } = mint(world, 'inv')
  const draft = Invitation.draft({
    world,
    id,
    place,
    caller,
    labels: {},
    spec: { ...spec, hash, expiresAt: after(world.now(), lifetime) },
    status: {},
  })
  const set = buildingOn(changeSet(world).create(draft), ...placeObjects(everything, place), ...basis)
  return conclude(set, outcome => created(Invitation, outcome.object(draft), { token: text }))
}

const places = [
  { scope: 'platform', path: '/v1/invitations', to: 'the platform', body: Type.Object(fields) },
  {
    scope: 'organization',
    path: '/v1/organizations/:organization/invitations',
    to: 'an organization or one of its projects',
    body: Type.Object({ ...fields, project: Type.Optional(Type.String({ description: 'Id or name of a project.' })) }),
  },
] as const

const target = { kind: Invitation.kind }

export const invitationRoutes: readonly Route[] = [
  ...places.flatMap(({ scope, path, to, body }) => [
    route({
      method: 'POST',
      path,
      summary: `Invite somebody to ${to}`,
      description: 'Whoever has the token that is answered can accept, once, and choose a password.',
      scope,
      permission: 'users:create',
      body,
      replies: { 201: NewInvitation },
      examples: { body: { email: 'ada@example.com', role: 'reader' } },
      handle(request, services) {
        const { email, role: which, expiresIn, project } = request.body as InvitationBody
        const { everything } = services
        const { caller, place: where } = request
        const place = project === undefined ? where : resolveProject({ everything, caller, place: where }, project)
        const { role, object } = resolveRole({ everything, caller, place }, which)
        return invite(request, services, {
          place,
          spec: { email: email.toLowerCase(), role },
          expiresIn,
          rights: [rightsOf(everything, { role, place })],
          basis: object ? [object] : [],
        })
      },
    }),
    route({
      method: 'GET',
      path,
      summary: 'List the invitations that were not accepted yet',
      scope,
      permission: 'users:read',
      query: listQuery({}),
      replies: { 200: Invitation.list },
      handle: request =>
        listReply({
          ...request,
          resource: Invitation,
          only: { where: ({ organizationId }) => scope === 'organization' || organizationId === undefined },
        }),
    }),
    route({
      method: 'GET',
      path: `${path}/:invitation`,
      summary: 'Read an invitation; never its token',
      scope,
      permission: 'users:read',
      target,
      replies: { 200: Invitation.schema },
      handle: ({ target }) => ok(Invitation, target),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:invitation`,
      summary: 'Withdraw an invitation',
      scope,
      permission: 'users:delete',
      target,
      replies: { 202: Invitation.schema },
      handle: ({ target }, { world, conclude }) =>
        conclude(changeSet(world).remove(target), () => accepted(Invitation, target)),
    }),
  ]),
  route({
    method: 'POST',
    path: '/v1/users/:user/password-reset',
    summary: 'Let a user choose a new password; the token that is answered is accepted like an invitation',
    description: 'The caller must hold everything that the user holds: whoever has the token becomes that user.',
    scope: 'platform',
    permission: 'users:update',
    target: { kind: User.kind, find: findUsers },
    body: Type.Object({ expiresIn: fields.expiresIn }),
    replies: { 201: NewInvitation },
    handle(request, services) {
      const { target: user, body } = request
      const { everything } = services
      const { email } = user.spec
      if (email === undefined) throw fail('invalid_state', 'this user has no email to sign in with')
      return invite(request, services, {
        place: { type: 'platform' },
        spec: { email, user: user.id },
        expiresIn: body.expiresIn,
        rights: heldBy(everything, user.id).map(held => rightsOf(everything, held)),
        basis: [user],
      })
    },
  }),
]

interface InvitationBody {
  readonly email: string
  readonly role: string
  readonly expiresIn?: string
  readonly project?: string
}
