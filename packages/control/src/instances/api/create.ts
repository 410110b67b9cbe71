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
import { written } from '../../resource/write.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import { amountsOf } from '../amounts.ts'
import {
  firstStatus,
  Instance,
  type InstanceSpec,
  type InstanceStatus,
  instanceName,
  instanceNamePrefix,
} from '../model.ts'
import { operationSteps } from '../operations.ts'
import { type ResolvedSpec, resolveSpec } from '../references.ts'
import { validate } from '../validate.ts'
import { Accepted, collection, type InstanceRoom, type InstanceRoutes } from './room.ts'
import { readUserData, refuseUnmergeable, type SentUserData, sealUserData } from './user-data.ts'

const nameTaken = onKey(instanceNamePrefix, ({ key }) =>
  fail('name_taken', `an instance named ${JSON.stringify(key.split('/').at(-1))} exists here`, {
    errors: [{ path: '/name', message: 'is taken' }],
  }),
)

const example = {
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
    async handle({ body, caller, place: anywhere, objects, traceId }, { world, everything, conclude }) {
      const place = anywhere as Place & { type: 'project' }
      const { spec: sent, ...fields } = written(Instance, body)
      const errors = validate(sent)
      if (errors.length > 0) throw fail('invalid', 'what was sent does not fit together', { errors })
      const resolved = await resolveSpec(sent, { objects, everything, caller, place, catalogs: room.catalogs })
      assertTakesNew(resolved.region)
      const userData = userDataOf(resolved)
      const now = world.now()
      const base = Instance.draft({ world, place, caller, ...fields, spec: sent, status: firstStatus(now) })
      const set = changeSet(world)
      const spec = keptSpec(set, room, { resolved, userData, owner: refOf(base) })
      const request = {
        subject: base,
        type: 'create',
        steps: operationSteps.create,
        requestedBy: caller.principalId,
        traceId,
      }
      const operation = startOperation(set, world, request)
      const draft: ObjectDraft<InstanceSpec, InstanceStatus> = {
        ...base,
        spec,
        status: { ...base.status, operation: { id: operation.id, type: 'create', startedAt: now } },
      }
      set.create(draft).take(instanceName(draft), draft.id)
      buildingOn(set, ...placeObjects(everything, place), ...resolved.uses)
      charge(set, everything, {
        organization: place.organizationId,
        project: place.projectId,
        for: draft,
        amounts: amountsOf(spec, resolved.flavor),
        at: now,
      })
      appendEvent(set, draft, { reason: 'Created', message: `by ${caller.displayName}, in ${resolved.region.name}` })
      const besides = { operation: { id: operation.id, type: 'create' } }
      return conclude(set, outcome => created(Instance, outcome.object(draft), besides))
    },
  }),
]

function userDataOf({ spec }: ResolvedSpec): SentUserData {
  const { machine } = spec.source
  if (!machine) return { type: 'none' }
  const sent = readUserData(machine, undefined)
  if (sent.type === 'new' && machine.sshAuthority !== undefined) refuseUnmergeable(sent.content)
  return sent
}

/** The spec as it is kept: user data sealed beside the instance. */
function keptSpec(
  set: ReturnType<typeof changeSet>,
  { sealer }: InstanceRoom,
  {
    resolved,
    userData: sent,
    owner,
  }: { readonly resolved: ResolvedSpec; readonly userData: SentUserData; readonly owner: { kind: string; id: string } },
): InstanceSpec {
  const { machine, ...source } = resolved.spec.source
  if (!machine) return { ...resolved.spec, source }
  const { userData: _, userDataBase64: _base64, ...rest } = machine
  const sealed = sealUserData(set, sealer, { owner, sent, before: undefined })
  return { ...resolved.spec, source: { machine: { ...rest, ...(sealed && { userData: sealed }) } } }
}
