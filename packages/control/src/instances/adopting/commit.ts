import { type ChangeSetBuilder, changeSet, type ObjectDraft } from '@stead/engine'
import { created } from '../../door/replies.ts'
import type { Reply } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { appendEvent } from '../../events/model.ts'
import type { Place } from '../../identity/caller.ts'
import { startOperation } from '../../operations/lifecycle.ts'
import { charge } from '../../quotas/charge.ts'
import { sealLaunch } from '../../servers/launch-content.ts'
import { backendKey, type ServerSpec, type ServerStatus, servers, slotKey } from '../../servers/model.ts'
import { observedOf } from '../../servers/status.ts'
import { buildingOn, placeObjects } from '../../teardown/building.ts'
import { accept } from '../api/accept.ts'
import type { InstanceRoom } from '../api/room.ts'
import { Instance, type InstanceStatus, instanceName } from '../model.ts'
import { operationSteps } from '../operations.ts'
import type { AdoptAsking, Adoption } from './adoption.ts'

/** Commits an adoption: instance, name, charge and server in one. What is to be written on it, its controller writes. */
export function commitAdoption(
  room: InstanceRoom,
  services: Services,
  asking: AdoptAsking,
  adoption: Adoption,
): Promise<Reply> {
  const { target, draft, claim, launch } = adoption
  const { source } = launch.spec
  const { machine } = draft.spec.source
  const status: Partial<InstanceStatus> = {
    slots: { active: claim.serverId },
    ...(machine &&
      source.type === 'machine' && {
        offering: { name: machine.flavor, flavor: source.flavor, image: source.image },
      }),
  }
  if (!target)
    return commitNew(room, services, asking, {
      ...adoption,
      draft: { ...draft, status: { ...draft.status, ...status } },
    })
  const what = `${claim.info.id} in ${claim.region.name}`
  const besides = (set: ChangeSetBuilder) => {
    retire(set, target, services)
    takeOver(set, room, services, { adoption, place: asking.place })
  }
  return accept(services, { ...asking, target }, { type: 'adopt', spec: draft.spec, status, what, besides })
}

function commitNew(
  room: InstanceRoom,
  services: Services,
  { place, caller, traceId }: AdoptAsking,
  adoption: Adoption,
): Promise<Reply> {
  const { world, conclude } = services
  const { draft, claim } = adoption
  const set = changeSet(world)
  const operation = startOperation(set, world, {
    ...{ subject: draft, type: 'adopt', steps: operationSteps.adopt },
    ...{ requestedBy: caller.principalId, traceId },
  })
  const instance = {
    ...draft,
    status: { ...draft.status, operation: { id: operation.id, type: 'adopt', startedAt: world.now() } },
  }
  set.create(instance).take(instanceName(instance), instance.id)
  takeOver(set, room, services, { adoption, place })
  const message = `by ${caller.displayName}: ${claim.info.id} in ${claim.region.name}`
  appendEvent(set, instance, { reason: 'AdoptRequested', message })
  const besides = { operation: { id: operation.id, type: 'adopt' } }
  return conclude(set, outcome => created(Instance, outcome.object(instance), besides))
}

/** The server that was lost goes, and its slot with it: there is nothing left to end. */
function retire(set: ChangeSetBuilder, { id, status }: Instance, { everything, world }: Services): void {
  const { active } = status.slots
  const lost = active === undefined ? undefined : everything.get(servers, active)
  if (!lost) return
  set.update(lost, { deletedAt: world.now() }).release(slotKey(id, 'active'), lost.id)
}

interface Taking {
  readonly adoption: Adoption
  readonly place: Place
}

/** The server, with all that makes it the only one; and what is charged for it. */
function takeOver(
  set: ChangeSetBuilder,
  { sealer, store }: InstanceRoom,
  { everything, world }: Services,
  { adoption, place }: Taking,
): void {
  const { claim, draft, generation, launch, power, amounts, uses, tags } = adoption
  const { serverId: id, region, info, orphan, isOurs } = claim
  const { organizationId, projectId } = draft
  const { epoch } = store.identity
  const sealed = sealLaunch(set, sealer, { kind: servers, id }, launch.spec)
  const server: ObjectDraft<ServerSpec, ServerStatus> = {
    ...{ kind: servers, id, organizationId: organizationId!, projectId: projectId!, labels: draft.labels },
    ...{ owner: { kind: draft.kind, id: draft.id }, finalizers: [], createdAt: world.now() },
    spec: {
      ...{ region: region.id, generation, source: launch.spec.source.type, launch: sealed },
      ...{ power: power.wanted, adopted: true },
      ...(launch.secrets && { secrets: launch.secrets }),
    },
    status: {
      ...{ attempt: 1, launch: 'sent', backendId: info.id, observed: observedOf(info) },
      ...(epoch > 1 && { epoch }),
      applied: { launch: sealed.sealed, power: power.found, restart: 0, rebuild: 0 },
      ...(Object.keys(tags).length > 0 && { adopting: isOurs ? 'retag' : 'claim' }),
    },
  }
  set.create(server).take(slotKey(draft.id, 'active'), id).take(backendKey(region.id, info.id), id)
  if (orphan) set.remove(orphan)
  buildingOn(set, ...placeObjects(everything, place as Place & { type: 'project' }), ...uses)
  charge(set, everything, {
    ...{ organization: organizationId!, project: projectId!, for: draft, amounts, at: world.now() },
  })
}
