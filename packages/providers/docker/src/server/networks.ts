import { isOwned, isProviderError, type Owner, ownerTags } from '@stead/provider-kit'
import type { EngineName } from '../detect.ts'
import type { Engine, Labels } from '../engine/engine.ts'
import { labels, names } from './labels.ts'
import type { Subnets } from './subnets.ts'

/** Networks that others made meanwhile are learned one refusal at a time. */
const tries = 64

export const bridge = (kind: EngineName, Name: string, Labels: Labels, Subnet: string): object => ({
  ...{ Name, CheckDuplicate: true, Driver: 'bridge', Labels, IPAM: { Config: [{ Subnet }] } },
  // Podman lets its networks reach each other unless it is told not to.
  ...(kind === 'podman' && { Options: { isolate: 'true' } }),
})

export interface NetworkMaking {
  readonly engine: Engine
  readonly owner: Owner
  readonly kind: EngineName
  readonly subnets: Subnets
}

/** The network that each server has to itself. */
export class Networks {
  readonly #making: NetworkMaking
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(making: NetworkMaking) {
    this.#making = making
  }

  /**
   * Makes it, unless it is there. To begin early costs nothing: whoever needs it waits for the same, meets the same failure,
   * and whoever removes the server waits for it to be there.
   */
  ensure(id: string): Promise<void> {
    const known = this.#underWay.get(id)
    if (known) return known
    const made = this.#make(id).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, made)
    return made
  }

  async remove(id: string): Promise<void> {
    const { engine, subnets } = this.#making
    // How it ended does not matter here: what is there is removed.
    await this.#underWay.get(id)?.catch(() => {})
    for (const { Id, IPAM } of await engine.networks({ [labels.id]: id })) {
      await engine.removeNetwork(Id)
      for (const { Subnet } of IPAM?.Config ?? []) if (Subnet) subnets.free(Subnet)
    }
  }

  /** Takes note of what is in use: by others, too. Answers the addresses of those that servers of ours share. */
  async survey(): Promise<string[]> {
    const { engine, subnets, owner } = this.#making
    const shared: string[] = []
    for (const { IPAM, Labels } of await engine.networks({}))
      for (const { Subnet } of IPAM?.Config ?? []) {
        if (Subnet) subnets.take(Subnet)
        if (Subnet && !Labels?.[labels.id] && isOwned(Labels ?? {}, owner.controlPlane)) shared.push(Subnet)
      }
    return shared
  }

  async #make(id: string): Promise<void> {
    const { engine, subnets, kind, owner } = this.#making
    const Name = names.network(id)
    if (await engine.network(Name)) return
    const Labels: Labels = { ...ownerTags(owner), [labels.id]: id }
    for (let attempt = 1; ; attempt++) {
      const Subnet = subnets.pick(id)
      try {
        await engine.createNetwork(bridge(kind, Name, Labels, Subnet))
        return
      } catch (error) {
        const isOverlap = isProviderError(error) && /overlap|already used/i.test(error.message)
        if (isProviderError(error, 'Conflict') && /already exists/i.test(error.message)) return subnets.free(Subnet)
        if (!isOverlap || attempt === tries) {
          subnets.free(Subnet)
          throw error
        }
      }
    }
  }
}
