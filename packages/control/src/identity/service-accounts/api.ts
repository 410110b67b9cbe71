import { onKey } from '../../door/conflicts.ts'
import { listQuery, listReply } from '../../door/list.ts'
import { read } from '../../door/replies.ts'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { concludeCreate, concludePatch } from '../../resource/conclude.ts'
import { written } from '../../resource/write.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import { concludeDelete } from '../../teardown/delete.ts'
import type { Whole } from '../../teardown/model.ts'
import { ServiceAccount, serviceAccountName } from './model.ts'
import { accountPlaces, accountTarget, isOf } from './places.ts'

export const serviceAccountRoutes = (whole: Whole): readonly Route[] =>
  accountPlaces.flatMap(({ scope, path, of }) => {
    const target = accountTarget(scope)
    return [
      route({
        method: 'POST',
        path,
        summary: `Create a service account of ${of}`,
        scope,
        permission: 'service-accounts:create',
        body: ServiceAccount.write,
        replies: { 201: ServiceAccount.schema },
        examples: { body: { name: 'ci' } },
        conflicts: [
          onKey('service-account-name/', () => fail('name_taken', 'there is a service account of this name here')),
        ],
        handle({ body, caller, place }, services) {
          const { world, everything } = services
          const draft = ServiceAccount.draft({ world, place, caller, ...written(ServiceAccount, body), status: {} })
          const key = serviceAccountName(draft.organizationId, draft.name!)
          return concludeCreate(services, ServiceAccount, draft, set =>
            buildingOn(set, ...placeObjects(everything, place)).take(key, draft.id),
          )
        },
      }),
      route({
        method: 'GET',
        path,
        summary: `List the service accounts of ${of}`,
        scope,
        permission: 'service-accounts:read',
        query: listQuery({}),
        replies: { 200: ServiceAccount.list },
        handle: request =>
          listReply({ ...request, resource: ServiceAccount, only: { where: account => isOf(scope, account) } }),
      }),
      route({
        method: 'GET',
        path: `${path}/:account`,
        summary: 'Read a service account',
        scope,
        permission: 'service-accounts:read',
        target,
        replies: { 200: ServiceAccount.schema },
        handle: ({ target }) => read(ServiceAccount, target),
      }),
      route({
        method: 'PATCH',
        path: `${path}/:account`,
        summary: 'Change a service account; disabled, none of its tokens is accepted',
        scope,
        permission: 'service-accounts:update',
        target,
        body: ServiceAccount.patch,
        replies: { 200: ServiceAccount.schema },
        handle: (request, services) => concludePatch(services, ServiceAccount, request),
      }),
      route({
        method: 'DELETE',
        path: `${path}/:account`,
        summary: 'Delete a service account, its tokens and its grants',
        scope,
        permission: 'service-accounts:delete',
        target,
        replies: { 202: ServiceAccount.schema },
        handle: ({ target, caller }, services) =>
          concludeDelete(services, { whole, resource: ServiceAccount }, { target, caller, query: {} }),
      }),
    ]
  })
