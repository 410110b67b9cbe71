import type { View } from '@stead/engine'
import { onKey } from '../door/conflicts.ts'
import { listQuery, listReply } from '../door/list.ts'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import type { Place } from '../identity/caller.ts'
import { placeOf } from '../identity/grants/model.ts'
import { placeRoutes } from '../organizations/place-routes.ts'
import { resolveRegion } from '../regions/visibility.ts'
import { concludeCreate } from '../resource/conclude.ts'
import { written } from '../resource/write.ts'
import { buildingOn, placeObjects } from '../teardown/building.ts'
import type { Whole } from '../teardown/model.ts'
import { chargeProject } from './charge.ts'
import { Project, projectName } from './model.ts'

export const projectRoutes = (whole: Whole): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/organizations/:organization/projects',
    summary: 'Create a project',
    scope: 'organization',
    permission: 'projects:create',
    body: Project.write,
    replies: { 201: Project.schema },
    examples: { body: { name: 'shop' } },
    conflicts: [onKey('project-name/', () => fail('name_taken', 'the organization has a project of this name'))],
    handle({ body, caller, place }, services) {
      const { world, everything } = services
      const fields = written(Project, body)
      const spec = withRegionId(fields.spec, everything, place)
      const draft = Project.draft({ world, place, caller, ...fields, spec, status: {} })
      const key = projectName(draft.organizationId!, fields.name)
      return concludeCreate(services, Project, { ...draft, projectId: draft.id }, set => {
        buildingOn(set, ...placeObjects(everything, place)).take(key, draft.id)
        chargeProject(set, everything, draft)
      })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/organizations/:organization/projects',
    summary: 'List the projects of an organization',
    scope: 'organization',
    permission: 'projects:read',
    query: listQuery({}),
    replies: { 200: Project.list },
    handle: request => listReply({ ...request, resource: Project }),
  }),
  route({
    method: 'GET',
    path: '/v1/projects',
    summary: 'List the projects that the caller may read, of all organizations',
    scope: 'platform',
    permission: 'authenticated',
    query: listQuery({}),
    replies: { 200: Project.list },
    handle({ caller, objects, place, query }) {
      const where = (project: Project) => caller.may('projects:read', placeOf(project))
      return listReply({ objects, place, query, resource: Project, only: { where } })
    },
  }),
  ...placeRoutes({
    ...{ resource: Project, scope: 'project', whole, endsAfter: 'anything in it' },
    resolve: (body, everything, place) =>
      body.spec ? { ...body, spec: withRegionId(body.spec, everything, place) } : body,
  }),
]

/** A region is meant as the project's organization sees it, and kept by id: names may come to mean another. */
const withRegionId = <Spec extends { readonly defaultRegion?: unknown }>(spec: Spec, everything: View, place: Place) =>
  typeof spec.defaultRegion === 'string'
    ? { ...spec, defaultRegion: resolveRegion(everything, place, spec.defaultRegion).id }
    : spec
