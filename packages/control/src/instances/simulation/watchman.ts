import { refKey } from '@stead/engine'
import { operations } from '../../operations/model.ts'
import { type Allocation, allocations } from '../../quotas/charge.ts'
import { Secret } from '../../secrets/model.ts'
import { type Server, servers, slotKey, slotKeyPrefix } from '../../servers/model.ts'
import { known } from '../../servers/simulation/end-state.ts'
import { Watchman as ServerWatch, serverInvariants } from '../../servers/simulation/watchman.ts'
import type { ControlStage } from '../../simulation/index.ts'
import { type Instance, instanceNamePrefix, instances } from '../model.ts'
import { type Phase, transitions } from '../transitions.ts'
import { AddressWatch } from './address-watch.ts'
import { ConsentWatch } from './consent-watch.ts'
import { mischarged, Recount } from './recount.ts'
import { planted } from './secret.ts'

/** What must hold of instances. The numbers are DESIGN's. */
export const instanceInvariants = {
  ...serverInvariants,
  'I3 use is what is charged': 'a counter differs from what its allocations add up to, or has grown past its limit',
  'I8 nobody sees what is another’s': 'a tenant was answered something about what another tenant has',
  'I10 same key, same operation': 'a request that was sent again with its key was answered otherwise',
  'I9 operations end': 'an operation is open on an instance that is gone',
  'phases follow the table': 'a phase was followed by one that may not follow it',
  'two slots': 'a server that is to stay is in no slot, or a slot is held by another than its instance says',
  'charged for what it is': 'an instance is charged for something else than what is wanted of it',
  'what is adopted goes on': 'something that was adopted was started anew, and nobody had asked for that',
  'one owner': 'two servers have the same object in the cloud',
  'charged while it is there': 'an instance, or a server beside the active one, is there and not charged',
  'nothing is replaced without consent':
    'a server is replaced, rebuilt or given up though nobody agreed to that for this generation',
  'an address is of one': 'two servers in the cloud have the same address',
  'kept addresses stay': 'an instance that keeps its addresses has others than it had',
  'the old one stays until the new one is proven': 'it was given up before anybody saw its successor there',
  'use is nothing in the end': 'everybody has left, and something is still charged or held',
  'observing is all it does': 'something was asked of the cloud while the store only observes',
  'no secret in the open': 'the value of a secret is in an object of the store',
} as const

export type InstanceInvariant = keyof typeof instanceInvariants

/** Watches instances from outside, after every commit. */
export class Watchman {
  readonly #stage: ControlStage<InstanceInvariant>
  readonly #phases = new Map<string, Phase>()
  readonly #marked = new Set<string>()
  readonly #read = new WeakSet<object>()
  /** Instances that somebody wanted off, restarted or changed. */
  readonly #moved = new Set<string>()
  readonly #recount: Recount
  readonly #addresses: AddressWatch
  readonly consents: ConsentWatch
  readonly servers: ServerWatch

  constructor(stage: ControlStage<InstanceInvariant>) {
    this.#stage = stage
    this.#recount = new Recount(stage.ledger)
    this.#addresses = new AddressWatch(stage)
    this.consents = new ConsentWatch(stage)
    this.servers = new ServerWatch(stage)
  }

  eachSecond(): void {
    this.servers.eachSecond()
  }

  synced(): void {
    this.servers.synced()
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
    this.#leftovers(here)
    this.#slots(here)
    this.#use(here, charged)
    this.#owners(all)
    this.#adopted(here, all)
    this.#addresses.look(here, all)
    this.consents.look(here, all)
    for (const object of [...here, ...all, ...known<object>(ledger, Secret.kind), ...known<object>(ledger, operations)])
      this.#closed(object)
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
    const { active, next } = status.slots
    const stray = staying.find(server => server.id !== active && server.id !== next)
    violations.check(!stray, 'two slots', () => `${stray?.id} of ${id} is in neither, and is to stay`)
    const isCharged = (kind: string, of: string) =>
      charged.some(({ spec }) => spec.for.kind === kind && spec.for.id === of)
    const all = isCharged(instances, id) && (next === undefined || isCharged(servers, next))
    violations.check(all, 'charged while it is there', () => `${id} with ${next ?? active}`)
    for (const server of own) this.#given(instance, server, own)
  }

  /** A server goes with its instance, for a successor that was agreed to, or because nothing is there. */
  #given(instance: Instance, server: Server, own: readonly Server[]): void {
    const { id, status, deletedAt } = instance
    if (server.deletedAt === undefined || this.#marked.has(server.id)) return
    this.#marked.add(server.id)
    const { lost, backendId } = server.status
    const wasActive = this.#addresses.wasActive(instance, server)
    const isReplaced = status.slots.active !== server.id && (!wasActive || this.consents.wasReplacing(instance))
    const mayGo = deletedAt !== undefined || lost !== undefined || backendId === undefined || isReplaced
    this.#stage.violations.check(mayGo, 'nothing is replaced without consent', () => `${server.id} of ${id}`)
    this.#addresses.given(instance, server, own)
  }

  /** Each version of an object is looked into once. */
  #closed(object: object): void {
    if (this.#read.has(object)) return
    this.#read.add(object)
    const text = JSON.stringify(object)
    this.#stage.violations.check(!text.includes(planted), 'no secret in the open', () => text)
  }

  /** Until a server is gone it holds the slot that it is said to be in, and no other. */
  #slots(here: readonly Instance[]): void {
    const { ledger, violations } = this.#stage
    const said = new Map(
      here.flatMap(({ id, status: { slots } }) => [
        [slotKey(id, 'active'), slots.active],
        [slotKey(id, 'next'), slots.next],
      ]),
    )
    for (const [key, holder] of ledger.keys)
      if (key.startsWith(slotKeyPrefix))
        violations.check(said.get(key) === holder, 'two slots', () => `${key} is ${holder}, and said ${said.get(key)}`)
  }

  #leftovers(here: readonly Instance[]): void {
    const { ledger, violations } = this.#stage
    const ids = new Set(here.map(({ id }) => id))
    const leftover = 'I4 what is deleted leaves nothing behind'
    for (const [key, holder] of ledger.keys)
      if (key.startsWith(instanceNamePrefix))
        violations.check(ids.has(holder), leftover, () => `${key} is held by ${holder}`)
    const second = new Set(here.map(({ status }) => status.charged))
    for (const { spec } of known<Allocation>(ledger, allocations)) {
      const isThere = ledger.objects.has(refKey(spec.for)) || second.has(spec.for.id)
      violations.check(isThere, leftover, () => `${refKey(spec.for)} is charged, and gone`)
      const isSaid = spec.for.kind !== servers || second.has(spec.for.id)
      violations.check(isSaid, 'charged for what it is', () => `${spec.for.id} is charged besides, and nobody says so`)
    }
    for (const { id, owner } of known<Server>(ledger, operations))
      violations.check(ids.has(owner?.id ?? ''), 'I9 operations end', () => `${id} has lost its instance`)
  }

  #use(here: readonly Instance[], charged: readonly Allocation[]): void {
    const { violations } = this.#stage
    const miscount = this.#recount.check(charged)
    violations.check(miscount === undefined, 'I3 use is what is charged', () => miscount!)
    const amounts = new Map(charged.map(({ spec }) => [refKey(spec.for), spec.amounts]))
    for (const instance of here) {
      const wrong = mischarged(instance, amounts.get(refKey(instance)) ?? {})
      violations.check(wrong === undefined, 'charged for what it is', () => wrong!)
    }
  }

  /** Where nothing died by itself and nobody asked for anything, what was adopted has not booted twice. */
  #adopted(here: readonly Instance[], all: readonly Server[]): void {
    const { cloud, violations } = this.#stage
    for (const { id, spec, status } of here)
      if (spec.power === 'off' || status.suspended || status.restart || status.change) this.#moved.add(id)
    const { crash, bootFailure } = cloud.counts()
    if (crash + bootFailure > 0) return
    for (const { spec, status, owner } of all) {
      if (!spec.adopted || this.#moved.has(owner!.id)) continue
      const boots = cloud.account().servers.get(status.backendId!)?.boots ?? 0
      violations.check(boots <= 1, 'what is adopted goes on', () => `${status.backendId} has booted ${boots} times`)
    }
  }

  /** What is in the cloud is of one server at most, whoever made it. */
  #owners(all: readonly Server[]): void {
    const owners = new Map<string, string>()
    for (const { id, status, deletedAt } of all) {
      if (status.backendId === undefined || deletedAt !== undefined) continue
      const other = owners.get(status.backendId)
      const detail = () => `${status.backendId} is of ${other} and of ${id}`
      this.#stage.violations.check(other === undefined, 'one owner', detail)
      owners.set(status.backendId, id)
    }
  }
}
