import { onKey } from '../../door/conflicts.ts'
import { listQuery, listReply } from '../../door/list.ts'
import { read } from '../../door/replies.ts'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { concludeCreate, concludePatch } from '../../resource/conclude.ts'
import { patched, written } from '../../resource/write.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import { concludeDelete } from '../../teardown/delete.ts'
import type { Whole } from '../../teardown/model.ts'
import { refuseUnheld } from '../holding.ts'
import type { Permission } from '../permissions.ts'
import { builtInRole, builtInRoles } from './built-in.ts'
import { Role, roleName } from './model.ts'

const BuiltIn = Type.Object(
  {
    name: Type.String(),
    purpose: Type.String(),
    givenOn: Type.Array(Type.String()),
    permissions: Type.Array(Type.String()),
  },
  { title: 'BuiltInRole' },
)

const path = '/v1/organizations/:organization/roles'
const target = { kind: Role.kind }

export const roleRoutes = (whole: Whole): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/roles',
    summary: 'List the roles that every installation has, with what each is for',
    scope: 'platform',
    permission: 'authenticated',
    replies: { 200: Type.Object({ items: Type.Array(BuiltIn) }) },
    handle: () => ({
      status: 200,
      body: { items: builtInRoles.map(role => ({ ...role, permissions: [...role.permissions] })) },
    }),
  }),
  route({
    method: 'POST',
    path,
    summary: 'Make a role of the organization’s own',
    description: 'Nobody makes a role with more than they hold themselves in the organization.',
    scope: 'organization',
    permission: 'roles:create',
    body: Role.write,
    replies: { 201: Role.schema },
    examples: { body: { name: 'deployer', spec: { permissions: ['projects:read'] } } },
    conflicts: [onKey('role-name/', () => fail('name_taken', 'the organization has a role of this name'))],
    handle({ body, caller, place }, services) {
      const { world, everything } = services
      const fields = written(Role, body)
      if (builtInRole(fields.name)) throw fail('name_taken', `${fields.name} is a built-in role`)
      refuseUnheld(caller, [{ permissions: fields.spec.permissions as Permission[], place }], 'this role')
      const draft = Role.draft({ world, place, caller, ...fields, status: {} })
      return concludeCreate(services, Role, draft, set =>
        buildingOn(set, ...placeObjects(everything, place)).take(
          roleName(draft.organizationId!, fields.name),
          draft.id,
        ),
      )
    },
  }),
  route({
    method: 'GET',
    path,
    summary: 'List the roles of the organization’s own',
    scope: 'organization',
    permission: 'roles:read',
    query: listQuery({}),
    replies: { 200: Role.list },
    handle: request => listReply({ ...request, resource: Role }),
  }),
  route({
    method: 'GET',
    path: `${path}/:role`,
    summary: 'Read a role',
    scope: 'organization',
    permission: 'roles:read',
    target,
    replies: { 200: Role.schema },
    handle: ({ target }) => read(Role, target),
  }),
  route({
    method: 'PATCH',
    path: `${path}/:role`,
    summary: 'Change a role, for everybody who has it',
    description: 'What is added must be held by the caller in the organization.',
    scope: 'organization',
    permission: 'roles:update',
    target,
    body: Role.patch,
    replies: { 200: Role.schema },
    handle({ target, body, caller, place }, services) {
      const { spec } = patched(Role, target, body)
      const before = new Set<string>(target.spec.permissions)
      const added = spec.permissions.filter(permission => !before.has(permission)) as Permission[]
      refuseUnheld(caller, [{ permissions: added, place }], 'this change of the role')
      return concludePatch(services, Role, { target, body })
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:role`,
    summary: 'Delete a role; refused with `in_use` while somebody has it',
    scope: 'organization',
    permission: 'roles:delete',
    target,
    replies: { 202: Role.schema },
    handle: ({ target, caller }, services) =>
      concludeDelete(services, { whole, resource: Role }, { target, caller, query: {} }),
  }),
]
