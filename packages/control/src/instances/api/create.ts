import { changeSet, type ObjectDraft, refOf } from '@stead/engine'
import { onKey } from '../../door/conflicts.ts'
import { created } from '../../door/replies.ts'
import { route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { appendEvent } from '../../events/model.ts'
import type { Place } from '../../identity/caller.ts'
import { startOperation } from '../../operations/lifecycle.ts'
import { charge } from '../../quotas/charge.ts'
import { assertTakesNew } from '../../regions/modes.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import { amountsOf } from '../amounts.ts'
import { Instance, type InstanceSpec, type InstanceStatus, instanceName, instanceNamePrefix } from '../model.ts'
import { operationSteps } from '../operations.ts'
import { sealValues } from '../values/kept-values.ts'
import { prepareCreate } from './prepare-create.ts'
import { Accepted, collection, type InstanceRoutes } from './room.ts'
import { sealUserData } from './user-data.ts'

export const nameTaken = onKey(instanceNamePrefix, ({ key }) =>
  fail('name_taken', `an instance named ${JSON.stringify(key.split('/').at(-1))} exists here`, {
    errors: [{ path: '/name', message: 'is taken' }],
  }),
)

export const example = {
  name: 'web-1',
  labels: { tier: 'web' },
  spec: {
    source: {
      services: {
        services: {
          web: {
            role: 'main',
            image: 'host',
            command: ['python3', '-m', 'http.server', '$(PORT_HTTP)'],
            ports: [{ name: 'http', protocol: 'tcp' }],
            resources: { cpuMillis: 200, memoryMiB: 128 },
            healthChecks: [{ type: 'http', port: 'http', path: '/', intervalSeconds: 1 }],
          },
        },
      },
    },
  },
}

export const createRoutes: InstanceRoutes = room => [
  route({
    method: 'POST',
    path: collection,
    summary: 'Create an instance',
    description: [
      'It is accepted whole or not at all, and launched after the answer: the operation says how far it has come.',
      'Its name is unique on its network, or in its project where it has none.',
    ].join(' '),
    scope: 'project',
    permission: 'instances:create',
    body: Instance.write,
    replies: { 201: Accepted },
    refuses: ['unsupported'],
    examples: { body: example },
    conflicts: [nameTaken],
    async handle(request, { world, everything, conclude }) {
      const { caller, traceId } = request
      const place = request.place as Place & { type: 'project' }
      const { base, resolved, userData, values } = await prepareCreate(room, request, { world, everything })
      assertTakesNew(resolved.region)
      const set = changeSet(world)
      const { sealer } = room
      const owner = refOf(base)
      sealUserData(set, sealer, { owner, sent: userData, before: undefined })
      sealValues(set, sealer, { owner, before: {}, kept: values.kept, others: [] })
      const asked = {
        subject: base,
        type: 'create',
        steps: operationSteps.create,
        requestedBy: caller.principalId,
        traceId,
      }
      const operation = startOperation(set, world, asked)
      const { surroundings, spec } = values
      const draft: ObjectDraft<InstanceSpec, InstanceStatus> = {
        ...base,
        spec,
        status: {
          ...base.status,
          operation: { id: operation.id, type: 'create', startedAt: base.createdAt },
          ...(surroundings && { surroundings }),
        },
      }
      set.create(draft).take(instanceName(draft), draft.id)
      buildingOn(set, ...placeObjects(everything, place), ...resolved.uses)
      charge(set, everything, {
        organization: place.organizationId,
        project: place.projectId,
        for: draft,
        amounts: amountsOf(spec, resolved.flavor),
        at: base.createdAt,
      })
      appendEvent(set, draft, { reason: 'Created', message: `by ${caller.displayName}, in ${resolved.region.name}` })
      const besides = { operation: { id: operation.id, type: 'create' } }
      return conclude(set, outcome => created(Instance, outcome.object(draft), besides))
    },
  }),
]
