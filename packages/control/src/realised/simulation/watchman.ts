import { canonicalJson } from '@stead/engine'
import type { Ledger, Stage } from '@stead/engine/simulation'
import { ownTags } from '@stead/provider-kit'
import type { SimulatedCloud } from '@stead/provider-kit/simulated'
import { Image } from '../../images/model.ts'
import { Network } from '../../networks/model.ts'
import { counterOf } from '../../quotas/counters.ts'
import { ruleForProvider, SecurityGroup } from '../../security-groups/model.ts'
import type { Realised } from '../model.ts'
import type { CrossingFault } from './cloud.ts'
import type { SharedDisk } from './content.ts'
import { payer, requestPrefix } from './users.ts'

/** What must hold of things in regions. The numbers are DESIGN's. */
export const realisedInvariants = {
  'I1 one thing outside per object': 'two things outside were made for one object',
  'I3 quotas count what there is': 'a quota counter does not say how many there are',
  'I4 what is deleted leaves nothing behind': 'something of a deleted object is still there',
  'the first time is once': 'a token was sent twice as one that nobody had sent',
} as const

export type RealisedInvariant = keyof typeof realisedInvariants
export type RealisedStage = Stage<CrossingFault, RealisedInvariant>

type Kept = Pick<Realised, 'id' | 'name' | 'deletedAt' | 'generation' | 'status' | 'spec'>

/** The objects of a kind, as the ledger has them: no cache, no node in between. */
const kept = ({ objects }: Ledger, kind: string): readonly Kept[] =>
  [...objects.values()]
    .filter(object => object.kind === kind)
    .map(({ id, generation, spec, rest }) => ({ ...JSON.parse(rest), id, generation, spec: JSON.parse(spec) }) as Kept)

/** Watches things in a region from outside. */
export class Watchman {
  readonly #stage: RealisedStage
  readonly #cloud: SimulatedCloud
  readonly #disk: SharedDisk
  readonly #fresh = new Set<string>()

  constructor(stage: RealisedStage, cloud: SimulatedCloud, disk: SharedDisk) {
    this.#stage = stage
    this.#cloud = cloud
    this.#disk = disk
  }

  sentFresh(token: string): void {
    this.#stage.violations.check(!this.#fresh.has(token), 'the first time is once', () => token)
    this.#fresh.add(token)
  }

  synced(): void {
    const { ledger, violations } = this.#stage
    const things = this.#things()
    const owners = things.map(({ owner }) => owner)
    const doubled = owners.find((owner, index) => owners.indexOf(owner) !== index)
    violations.check(doubled === undefined, 'I1 one thing outside per object', () => `${doubled} has two`)
    for (const [quota, kind] of [
      ['networks', Network.kind],
      ['images', Image.kind],
    ] as const) {
      const counter = counterOf({ organization: payer.organizationId, project: payer.projectId }, quota)
      const used = ledger.counters.get(counter)?.value ?? 0
      const there = kept(ledger, kind).length
      violations.check(
        used === there,
        'I3 quotas count what there is',
        () => `${used} are charged of ${there} ${kind}s`,
      )
    }
    const images = new Set(kept(ledger, Image.kind).map(({ id }) => id))
    for (const file of this.#disk.files.keys()) {
      const isOwned = images.has(file.split('.', 1)[0]!)
      violations.check(isOwned, 'I4 what is deleted leaves nothing behind', () => `${file} is staged for nobody`)
    }
    for (const [key, holder] of ledger.keys) {
      const isHeld = key.startsWith(requestPrefix) || [...ledger.objects.values()].some(({ id }) => id === holder)
      violations.check(isHeld, 'I4 what is deleted leaves nothing behind', () => `${key} is held by nobody`)
    }
  }

  /** Everything there is as it should be, and nothing else is. */
  isSettled(): boolean {
    const objects = this.#objects()
    const isRight = objects.every(
      ({ deletedAt, generation, status: { state, observedGeneration, conditions = [] } }) =>
        deletedAt === undefined && state === 'ready' && observedGeneration === generation && conditions.length === 0,
    )
    const isAllThere = this.#things().length === objects.length && this.#disk.files.size === 0
    return isRight && isAllThere && this.#rulesAreRight()
  }

  /** What is left, without what may differ: ids of the backend, times, revisions. */
  endState(): string {
    const { ledger } = this.#stage
    const objects = this.#objects().map(({ name, spec, status, deletedAt }) => ({
      ...{ name, spec, state: status.state, conditions: status.conditions ?? [], isDeleted: deletedAt !== undefined },
    }))
    const kinds = [...ledger.objects.values()].map(({ kind }) => kind)
    return canonicalJson({
      objects: objects.sort((a, b) => (a.name! < b.name! ? -1 : 1)),
      kinds: kinds.sort(),
      keys: [...ledger.keys.keys()].sort(),
      things: this.#things()
        .map(({ owner }) => owner)
        .sort(),
      counters: [...ledger.counters].map(([counter, { value }]) => `${counter} ${value}`).sort(),
      staged: [...this.#disk.files.keys()].sort(),
      rulesAreRight: this.#rulesAreRight(),
    })
  }

  #objects(): readonly Kept[] {
    const { ledger } = this.#stage
    return [Network, SecurityGroup, Image].flatMap(({ kind }) => kept(ledger, kind))
  }

  #rulesAreRight(): boolean {
    const groups = this.#cloud.account().securityGroups.roster
    return kept(this.#stage.ledger, SecurityGroup.kind).every(({ spec, status }) => {
      const rules = groups.get(status.backendId ?? '')?.view().rules
      return canonicalJson(rules ?? null) === canonicalJson((spec as SecurityGroup['spec']).rules.map(ruleForProvider))
    })
  }

  /** What there really is outside, and for which object of ours. */
  #things(): readonly { readonly id: string; readonly owner: string }[] {
    const { networks, securityGroups, images } = this.#cloud.account()
    return [...networks.roster, ...securityGroups.roster, ...images.roster].map(({ id, tags }) => ({
      ...{ id, owner: tags[ownTags.resourceId] ?? 'nobody' },
    }))
  }
}
