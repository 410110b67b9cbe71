import { ownTags } from '@stead/provider-kit'
import { operations } from '../../operations/model.ts'
import { type Allocation, allocations } from '../../quotas/charge.ts'
import { counterPrefix } from '../../quotas/counters.ts'
import { type Server, servers } from '../../servers/model.ts'
import { known, liveIn } from '../../servers/simulation/end-state.ts'
import type { ControlStage } from '../../simulation/index.ts'
import { type Instance, instanceNamePrefix, instances } from '../model.ts'
import { type Phase, transitions } from '../transitions.ts'

/** What must hold of instances. The numbers are DESIGN's. */
export const instanceInvariants = {
  'I1 one live backend object per server': 'two live objects in the cloud are of one server',
  'I3 use is what is charged': 'a counter differs from what its allocations add up to, or is over its limit',
  'I4 what is deleted leaves nothing behind': 'something of a deleted instance is still there',
  'I9 operations end': 'an operation is open on an instance that is gone',
  'phases follow the table': 'a phase was followed by one that may not follow it',
  'two slots': 'an instance has more servers that are to stay than slots',
  'charged while it is there': 'an instance, or a server beside the active one, is there and not charged',
  'nothing is replaced without consent': 'a server that runs was given up though nobody agreed to that',
} as const

export type InstanceInvariant = keyof typeof instanceInvariants

/** Watches instances from outside, after every commit. */
export class Watchman {
  readonly #stage: ControlStage<InstanceInvariant>
  readonly #phases = new Map<string, Phase>()
  readonly #marked = new Set<string>()

  constructor(stage: ControlStage<InstanceInvariant>) {
    this.#stage = stage
    stage.cloud.account().events.listen(({ view }) => {
      const serverId = view?.tags[ownTags.serverId]
      const live = liveIn(stage.cloud).filter(({ tags }) => tags[ownTags.serverId] === serverId)
      stage.violations.check(
        live.length <= 1,
        'I1 one live backend object per server',
        () => `${serverId} has ${live.length}`,
      )
    })
  }

  synced(): void {
    const { ledger } = this.#stage
    const here = known<Instance>(ledger, instances)
    const all = known<Server>(ledger, servers)
    const charged = known<Allocation>(ledger, allocations)
    for (const instance of here)
      this.#instance(
        instance,
        all.filter(({ owner }) => owner?.id === instance.id),
        charged,
      )
    this.#leftovers(here, all)
    this.#use(charged)
  }

  #instance(instance: Instance, own: readonly Server[], charged: readonly Allocation[]): void {
    const { violations } = this.#stage
    const { id, status } = instance
    const before = this.#phases.get(id)
    const mayFollow = before === undefined || before === status.phase || transitions[before].includes(status.phase)
    violations.check(mayFollow, 'phases follow the table', () => `${id}: ${before} → ${status.phase}`)
    this.#phases.set(id, status.phase)
    const staying = own.filter(({ deletedAt }) => deletedAt === undefined)
    violations.check(staying.length <= 2, 'two slots', () => `${id} has ${staying.length}`)
    const isCharged = (kind: string, of: string) =>
      charged.some(({ spec }) => spec.for.kind === kind && spec.for.id === of)
    const { active, next } = status.slots
    const all = isCharged(instances, id) && (next === undefined || isCharged(servers, next))
    violations.check(all, 'charged while it is there', () => `${id} with ${next ?? active}`)
    for (const server of own) this.#given(instance, server)
  }

  /** A server goes with its instance, for a successor that was agreed to, or because nothing is there. */
  #given({ id, status, deletedAt }: Instance, server: Server): void {
    if (server.deletedAt === undefined || this.#marked.has(server.id)) return
    this.#marked.add(server.id)
    const { lost, backendId } = server.status
    const isReplaced = status.slots.active !== server.id
    const mayGo = deletedAt !== undefined || lost !== undefined || backendId === undefined || isReplaced
    this.#stage.violations.check(mayGo, 'nothing is replaced without consent', () => `${server.id} of ${id}`)
  }

  #leftovers(here: readonly Instance[], all: readonly Server[]): void {
    const { ledger, violations } = this.#stage
    const ids = new Set(here.map(({ id }) => id))
    const leftover = 'I4 what is deleted leaves nothing behind'
    for (const { id, owner } of all)
      violations.check(ids.has(owner?.id ?? ''), leftover, () => `${id} has lost its instance`)
    for (const [key, holder] of ledger.keys)
      if (key.startsWith(instanceNamePrefix))
        violations.check(ids.has(holder), leftover, () => `${key} is held by ${holder}`)
    for (const { id, owner } of known<Server>(ledger, operations))
      violations.check(ids.has(owner?.id ?? ''), 'I9 operations end', () => `${id} has lost its instance`)
  }

  #use(charged: readonly Allocation[]): void {
    const { ledger, violations } = this.#stage
    for (const [counter, { value, limit }] of ledger.counters) {
      if (!counter.startsWith(counterPrefix) || !counter.endsWith('/instances')) continue
      const [organization, project] = counter.slice(counterPrefix.length).split('/')
      const mine = charged.filter(
        ({ organizationId, projectId }) =>
          organizationId === organization && (project === 'instances' || projectId === project),
      )
      const sum = mine.reduce((total, { spec }) => total + (spec.amounts.instances ?? 0), 0)
      const isRight = value === sum && (limit === null || value <= limit)
      violations.check(isRight, 'I3 use is what is charged', () => `${counter} is ${value}, charged are ${sum}`)
    }
  }
}
