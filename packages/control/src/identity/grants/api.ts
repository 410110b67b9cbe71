import { changeSet } from '@stead/engine'
import type { Static } from 'typebox'
import { onKey } from '../../door/conflicts.ts'
import { listQuery, listReply } from '../../door/list.ts'
import { accepted, read } from '../../door/replies.ts'
import { type Reply, type Request, type Route, route } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { fail } from '../../errors/index.ts'
import { concludeCreate } from '../../resource/conclude.ts'
import { Labels } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import type { Place } from '../caller.ts'
import { refuseUnheld, rightsOf } from '../holding.ts'
import { Grant, grantKey } from './model.ts'
import { resolvePrincipal, resolveProject, resolveRole } from './resolve.ts'

const fields = {
  principal: Type.String({ minLength: 1, maxLength: 320, description: 'Id, name of a service account, or email.' }),
  role: Type.String({ minLength: 1, maxLength: 63, description: 'Name of a role, or its id.' }),
}
const withProject = {
  ...fields,
  project: Type.Optional(
    Type.String({ description: 'Id or name of a project: the role is given there and not on the whole organization.' }),
  ),
}

/** `{principal, role}`, or the form in which grants are read. */
const writeForms = <Fields extends typeof fields>(title: string, properties: Fields) =>
  Type.Union(
    [
      Type.Object({ ...properties, labels: Type.Optional(Labels) }),
      Type.Object({
        kind: Type.Optional(Type.Literal('grant')),
        metadata: Type.Optional(Type.Object({ labels: Type.Optional(Labels) }, { additionalProperties: true })),
        spec: Type.Object(properties),
        status: Type.Optional(Type.Unknown()),
      }),
    ],
    { title },
  )

interface Asked {
  readonly principal: string
  readonly role: string
  readonly project?: string
  readonly labels: Readonly<Record<string, string>>
}

function asked(body: Static<ReturnType<typeof writeForms<typeof withProject>>>): Asked {
  return 'spec' in body ? { ...body.spec, labels: body.metadata?.labels ?? {} } : { ...body, labels: body.labels ?? {} }
}

/** Gives a role: one that the caller holds all of, to somebody they can see. */
function give(
  { caller, place: where }: Pick<Request, 'caller' | 'place'>,
  services: Services,
  { principal: whom, role: which, project, labels }: Asked,
): Promise<Reply> {
  const { world, everything } = services
  const place: Place = project === undefined ? where : resolveProject({ everything, caller, place: where }, project)
  const resolving = { everything, caller, place }
  const { role, object } = resolveRole(resolving, which)
  const principal = resolvePrincipal(resolving, whom)
  refuseUnheld(caller, [rightsOf(everything, { role, place })], 'this grant')
  const draft = Grant.draft({ world, place, caller, labels, spec: { principal: principal.id, role }, status: {} })
  const basis = [...placeObjects(everything, place), principal, ...(object ? [object] : [])]
  return concludeCreate(services, Grant, draft, set => buildingOn(set, ...basis).take(grantKey(draft), draft.id))
}

const takenTwice = onKey('grant/', () => fail('name_taken', 'this principal has this role there already'))

const places = [
  { scope: 'platform', path: '/v1/grants', on: 'the platform', body: writeForms('GrantWrite', fields) },
  {
    scope: 'organization',
    path: '/v1/organizations/:organization/grants',
    on: 'an organization or one of its projects',
    body: writeForms('OrganizationGrantWrite', withProject),
  },
  { scope: 'project', path: '/v1/projects/:project/grants', on: 'a project', body: writeForms('GrantWrite', fields) },
] as const

const filters = listQuery({
  principal: Type.Optional(Type.String({ description: 'Only those of this principal, by id.' })),
  role: Type.Optional(Type.String({ description: 'Only those of this role.' })),
})

const grant = { kind: Grant.kind }

/** Grants are read and given in the place they are for, each with the same rules. */
export const grantRoutes: readonly Route[] = places.flatMap(({ scope, path, on, body }) => [
  route({
    method: 'POST',
    path,
    summary: `Give a principal a role on ${on}`,
    description: 'Nobody gives what they do not hold: every permission of the role must be the caller’s there.',
    scope,
    permission: 'grants:create',
    body,
    replies: { 201: Grant.schema },
    conflicts: [takenTwice],
    handle: (request, services) => give(request, services, asked(request.body)),
  }),
  route({
    method: 'GET',
    path,
    summary: `List who has which role on ${on}`,
    scope,
    permission: 'grants:read',
    query: filters,
    replies: { 200: Grant.list },
    handle({ objects, place, query }) {
      const { principal, role } = query
      const where = ({ spec, organizationId }: Grant) =>
        // The platform's own are those of no organization: each organization lists its own.
        (place.type !== 'platform' || organizationId === undefined) &&
        (principal === undefined || spec.principal === principal) &&
        (role === undefined || spec.role === role)
      return listReply({ objects, place, query, resource: Grant, only: { where } })
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:grant`,
    summary: 'Read a grant',
    scope,
    permission: 'grants:read',
    target: grant,
    replies: { 200: Grant.schema },
    handle: ({ target }) => read(Grant, target),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:grant`,
    summary: 'Take a role away',
    scope,
    permission: 'grants:delete',
    target: grant,
    replies: { 202: Grant.schema },
    handle: ({ target }, { world, conclude }) =>
      conclude(changeSet(world).remove(target).release(grantKey(target), target.id), () => accepted(Grant, target)),
  }),
])
