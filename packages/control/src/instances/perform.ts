import { isDeepStrictEqual } from 'node:util'
import { type ChangeSetBuilder, changeSet, type ObjectDraft, type Sealer, type View } from '@stead/engine'
import type { LaunchSpec } from '@stead/provider-kit'
import { newId, type World } from '@stead/world'
import { appendEvent } from '../events/model.ts'
import {
  endOperation,
  type OperationRequest,
  recordOperation,
  startOperation,
  stepOperation,
} from '../operations/lifecycle.ts'
import { allocationOf, charge, release } from '../quotas/charge.ts'
import type { Amounts } from '../quotas/kinds.ts'
import { sealLaunch } from '../servers/launch-content.ts'
import {
  type Server,
  type ServerSpec,
  type ServerStatus,
  type Slot,
  servers,
  slotKey,
  unlaunched,
} from '../servers/model.ts'
import { agreeing } from '../servers/status.ts'
import type { Action, Decision, InstanceView, ServerChange } from './decide.ts'
import { type Instance, type InstanceSpec, type InstanceStatus, instanceName } from './model.ts'
import { type OperationType, operationSteps } from './operations.ts'
import type { Launch } from './rendering.ts'

/** A decision about to be carried out, and what that takes. */
export interface Performance {
  readonly view: InstanceView
  readonly decision: Decision
  readonly cache: View
  readonly world: World
  readonly sealer: Sealer
  /** Of the store. */
  readonly epoch: number
  /** What the active server is to be. */
  readonly launch: Launch | undefined
  /** What a new server is to be. */
  readonly renderNew: (serverId: string, power: 'on' | 'off') => Promise<Launch>
}

/** Everything that a decision writes, as one change-set; undefined when it writes nothing. */
export async function perform(performance: Performance): Promise<ChangeSetBuilder | undefined> {
  const { view, decision, world } = performance
  if (decision.actions.some(({ type }) => type === 'forget')) return forget(performance)
  const { instance } = view
  if (decision.actions.length === 0 && isDeepStrictEqual(decision.status, instance.status)) return undefined
  const set = changeSet(world)
  const writer = new Writer(set, performance)
  for (const action of actionsOf(decision)) await writer.perform(action)
  set.update(instance, {
    spec: writer.spec,
    status: writer.status,
    ...(writer.deletedAt !== undefined && { deletedAt: writer.deletedAt }),
  })
  return set
}

/** What expires ends every operation that is under way: whatever else was to become of those is void. */
function actionsOf({ actions }: Decision): readonly Action[] {
  const expires = actions.some(({ type }) => type === 'expire')
  return expires ? actions.filter(({ type }) => type !== 'step' && type !== 'end') : actions
}

class Writer {
  spec: InstanceSpec
  status: InstanceStatus
  deletedAt: Instance['deletedAt']
  readonly #set: ChangeSetBuilder
  readonly #performance: Performance

  constructor(set: ChangeSetBuilder, performance: Performance) {
    const { instance } = performance.view
    this.#set = set
    this.#performance = performance
    this.spec = instance.spec
    this.status = performance.decision.status
    this.deletedAt = instance.deletedAt
  }

  async perform(action: Action): Promise<void> {
    const { view } = this.#performance
    const { instance, now } = view
    switch (action.type) {
      case 'create':
        return this.#create(action.slot, action.power, action.charge)
      case 'change':
        return this.#change(action.server, action.change)
      case 'remove':
        this.#set.update(action.server, { deletedAt: now })
        return
      case 'swap': {
        const [active, next] = (['active', 'next'] as const).map(slot => slotKey(instance.id, slot))
        this.#set.release(active!, action.from.id).release(next!, action.to.id).take(active!, action.to.id)
        return
      }
      case 'settleCharge':
        return this.#settleCharge(action.keep)
      case 'recharge':
        return this.#charge(instance, action.amounts)
      case 'powerOff':
        this.spec = { ...this.spec, power: 'off' }
        return
      case 'expire':
        this.deletedAt = now
        for (const operation of view.operations) endOperation(this.#set, operation, { state: 'superseded', at: now })
        return this.#begin('delete')
      case 'begin':
        return this.#begin(action.operation as OperationType)
      case 'step': {
        const { operation, step, message } = action
        stepOperation(this.#set, operation, { step, at: now, ...(message !== undefined && { message }) })
        return
      }
      case 'end': {
        const { operation, state, error } = action
        endOperation(this.#set, operation, { state, at: now, ...(error && { error }) })
        return
      }
      case 'tell': {
        const { level, reason, message } = action
        appendEvent(this.#set, { ...instance, status: this.status }, { level, reason, message })
        return
      }
      // The server gave the key of its slot back when it went.
      case 'vacate':
      case 'forget':
        return
    }
  }

  async #create(slot: Slot, power: 'on' | 'off', amounts: Amounts | undefined): Promise<void> {
    const { view, world, sealer, renderNew } = this.#performance
    const { instance, now } = view
    const id = newId(world, 'srv')
    const { spec: launch, secrets } = await renderNew(id, power)
    const server: ObjectDraft<ServerSpec, ServerStatus> = {
      kind: servers,
      id,
      organizationId: instance.organizationId!,
      projectId: instance.projectId!,
      // How it is seen later whether the backend knows all of them.
      labels: instance.labels,
      owner: { kind: instance.kind, id: instance.id },
      finalizers: [],
      createdAt: now,
      spec: {
        region: instance.spec.region,
        generation: instance.generation,
        source: launch.source.type,
        launch: sealLaunch(this.#set, sealer, { kind: servers, id }, launch),
        ...(secrets && { secrets }),
        ...keeping(launch),
        power,
      },
      status: unlaunched(1, this.#performance.epoch),
    }
    this.#set.create(server).take(slotKey(instance.id, slot), id)
    this.status = { ...this.status, slots: { ...this.status.slots, [slot]: id }, ...this.#offering(launch) }
    if (!amounts) return
    this.#charge(server, amounts)
    this.status = { ...this.status, charged: id }
  }

  #change(server: Server, { power, restart, rebuild, follow, again }: ServerChange): void {
    const { view, sealer, launch } = this.#performance
    const { secrets: held, keepsAddresses, ...spec } = server.spec
    const isLaunched = follow === 'launch' && launch !== undefined
    const kept = isLaunched ? keeping(launch.spec) : keepsAddresses && { keepsAddresses }
    // Noted too: a version may have gone out of use, or into it, with the same content.
    const secrets = follow && launch ? launch.secrets : held
    const { refused, ...unrefused } = server.status
    const before = refused && again ? unrefused : server.status
    this.#set.update(server, {
      ...(follow && { labels: view.instance.labels, status: agreeing(before, view.instance.labels) }),
      spec: {
        ...spec,
        ...(secrets && { secrets }),
        ...kept,
        ...(power && { power }),
        ...(restart && { restart: { sequence: (spec.restart?.sequence ?? 0) + 1, ...restart } }),
        ...(rebuild && { rebuild: { sequence: (spec.rebuild?.sequence ?? 0) + 1 } }),
        ...(follow && { generation: view.instance.generation }),
        ...(isLaunched && { launch: sealLaunch(this.#set, sealer, server, launch.spec) }),
      },
    })
    if (isLaunched) this.status = { ...this.status, ...this.#offering(launch.spec) }
  }

  #offering({ source }: LaunchSpec): Pick<InstanceStatus, 'offering'> {
    const { machine } = this.#performance.view.instance.spec.source
    if (source.type !== 'machine' || !machine) return {}
    return { offering: { name: machine.flavor, flavor: source.flavor, image: source.image } }
  }

  /** What was charged for two is charged for the one that is left. Given back first, so that no limit is in the way. */
  #settleCharge(keep: boolean): void {
    const { view, cache } = this.#performance
    const second = { kind: servers as string, id: view.instance.status.charged! }
    const amounts = allocationOf(cache, second)?.spec.amounts
    release(this.#set, cache, second)
    if (keep && amounts) this.#charge(view.instance, amounts)
  }

  #charge(thing: { readonly kind: string; readonly id: string }, amounts: Amounts): void {
    const { view, cache } = this.#performance
    const { organizationId, projectId } = view.instance
    charge(this.#set, cache, { organization: organizationId!, project: projectId!, for: thing, amounts, at: view.now })
  }

  #begin(type: OperationType): void {
    const { view, world } = this.#performance
    const { instance, now } = view
    const operation = startOperation(this.#set, world, requestOf(instance, type))
    this.status = { ...this.status, ready: false, operation: { id: operation.id, type, startedAt: now } }
  }
}

/** What begins by itself was asked for by nobody; what ends with something else, by who asked for that. */
const requestOf = (instance: Instance, type: OperationType): OperationRequest => ({
  subject: instance,
  type,
  steps: operationSteps[type],
  ...(instance.status.deletedBy !== undefined && { requestedBy: instance.status.deletedBy }),
})

const keeping = ({ source }: LaunchSpec): Pick<ServerSpec, 'keepsAddresses'> =>
  source.type === 'machine' && source.keepAddresses ? { keepsAddresses: true } : {}

/** The end: the object, its name and all that it was charged go together, and not before nothing is left of it. */
function forget({ view, cache, world }: Performance): ChangeSetBuilder {
  const { instance, operations, now } = view
  const { charged } = instance.status
  const set = changeSet(world).remove(instance).release(instanceName(instance), instance.id)
  release(set, cache, instance)
  if (charged !== undefined) release(set, cache, { kind: servers, id: charged })
  for (const operation of operations)
    endOperation(set, operation, { state: operation.spec.type === 'delete' ? 'succeeded' : 'superseded', at: now })
  if (!operations.some(({ spec }) => spec.type === 'delete')) recordOperation(set, world, requestOf(instance, 'delete'))
  appendEvent(
    set,
    { ...instance, status: { phase: 'destroyed' } },
    { reason: 'Destroyed', message: 'nothing is left of it' },
  )
  return set
}
