import { onKey } from '../door/conflicts.ts'
import { listQuery, listReply } from '../door/list.ts'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { concludeCreate } from '../resource/conclude.ts'
import { written } from '../resource/write.ts'
import type { Whole } from '../teardown/model.ts'
import { Organization, organizationName } from './model.ts'
import { placeRoutes } from './place-routes.ts'

export const organizationRoutes = (whole: Whole): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/organizations',
    summary: 'Create an organization',
    scope: 'platform',
    permission: 'organizations:create',
    body: Organization.write,
    replies: { 201: Organization.schema },
    examples: { body: { name: 'acme' } },
    conflicts: [onKey('organization-name/', () => fail('name_taken', 'an organization of this name exists'))],
    handle({ body, caller, place }, services) {
      const fields = written(Organization, body)
      const draft = Organization.draft({ world: services.world, place, caller, ...fields, status: {} })
      return concludeCreate(services, Organization, { ...draft, organizationId: draft.id }, set =>
        set.take(organizationName(fields.name), draft.id),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/v1/organizations',
    summary: 'List the organizations that the caller may read',
    scope: 'platform',
    permission: 'authenticated',
    query: listQuery({}),
    replies: { 200: Organization.list },
    handle({ caller, objects, place, query }) {
      const where = ({ id }: Organization) =>
        caller.may('organizations:read', { type: 'organization', organizationId: id })
      return listReply({ objects, place, query, resource: Organization, only: { where } })
    },
  }),
  ...placeRoutes({ resource: Organization, scope: 'organization', whole, endsAfter: 'projects or service accounts' }),
]
