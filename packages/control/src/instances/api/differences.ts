import { listQuery, listReply } from '../../door/list.ts'
import { route } from '../../door/route.ts'
import { Region } from '../../regions/model.ts'
import { listSchema } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'
import { servers } from '../../servers/model.ts'
import { differencesOf } from '../differences.ts'
import { differingInstances, type Instance, instances } from '../model.ts'
import { phases } from '../transitions.ts'
import type { InstanceRoutes } from './room.ts'

const Differing = Type.Object(
  {
    instance: Type.Object({
      id: Type.String(),
      name: Type.String(),
      organizationId: Type.String(),
      projectId: Type.String(),
    }),
    backendId: Type.Optional(Type.String({ description: 'What the backend calls, or called, what it runs on.' })),
    phase: Type.Enum([...phases]),
    differences: Type.Array(
      Type.Object({
        field: Type.Enum(['server', 'power', 'flavor', 'image', 'labels', 'addresses'], {
          description: '`server`: what it ran on is gone.',
        }),
        wanted: Type.Unknown({ description: 'As the store has made it, in the words of the backend.' }),
        found: Type.Unknown({ description: 'As it is.' }),
      }),
    ),
  },
  { title: 'DifferingInstance' },
)

/** What operators see of instances that are not what the store has made of them. */
export const differenceRoutes: InstanceRoutes = () => [
  route({
    method: 'GET',
    path: '/v1/regions/:region/differences',
    summary: 'List the instances of a region that are gone there, or other than they were made',
    description: [
      'Whatever happened to them, it was not done by this store: somebody else did it, or the store was restored and has',
      'forgotten it. What is there and belongs to nothing here is in the list of orphans.',
    ].join(' '),
    scope: 'platform',
    permission: 'regions:update',
    target: { kind: Region.kind },
    query: listQuery({}),
    replies: { 200: listSchema(Differing, { title: 'DifferingInstanceList' }) },
    handle({ target, objects, place, query }, { everything }) {
      const present = (instance: Instance) => {
        const { id, name, organizationId, projectId, status } = instance
        const active = status.slots.active === undefined ? undefined : everything.get(servers, status.slots.active)
        return {
          instance: { id, name, organizationId, projectId },
          ...(active?.status.backendId !== undefined && { backendId: active.status.backendId }),
          phase: status.phase,
          differences: active ? differencesOf(instance, active) : [],
        }
      }
      return listReply({
        ...{ objects, place, query, resource: { kind: instances, present: present as never } },
        only: { index: { name: differingInstances.name, key: target.id } },
      })
    },
  }),
]
