import { isOwned, isProviderError, type Owner, ownerTags } from '@stead/provider-kit'
import type { EngineName } from '../detect.ts'
import type { Engine, Labels } from '../engine/engine.ts'
import type { Network } from '../engine/words.ts'
import { labels, names, type Shape } from './labels.ts'
import type { Subnets } from './subnets.ts'

/** Networks that others made meanwhile are learned one refusal at a time. */
const tries = 64

/**
 * Of several networks of a container, Podman asks only one for names. So where a server shares a network, that one is asked,
 * and the names of its own services stand in its file of hosts: its address in its own network must be known beforehand.
 */
export const isAskedElsewhere = (kind: EngineName, { shared }: Shape): boolean =>
  kind === 'podman' && shared !== undefined

const subnetOf = ({ IPAM }: Network): string => IPAM?.Config?.[0]?.Subnet ?? ''

export interface NetworkMaking {
  readonly engine: Engine
  readonly owner: Owner
  readonly kind: EngineName
  readonly subnets: Subnets
}

/** The network that each server has to itself. */
export class Networks {
  readonly #making: NetworkMaking
  readonly #underWay = new Map<string, Promise<string>>()

  constructor(making: NetworkMaking) {
    this.#making = making
  }

  /**
   * Makes it, unless it is there, and answers its addresses. To begin early costs nothing: whoever needs it waits for the
   * same, meets the same failure, and whoever removes the server waits for it to be there.
   */
  ensure(id: string, shape: Shape): Promise<string> {
    const known = this.#underWay.get(id)
    if (known) return known
    const made = this.#make(id, shape).finally(() => this.#underWay.delete(id))
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

  async #make(id: string, shape: Shape): Promise<string> {
    const { engine, subnets, kind, owner } = this.#making
    const name = names.network(id)
    const all: Labels = { ...ownerTags(owner), [labels.id]: id }
    for (let attempt = 1; ; attempt++) {
      const found = await engine.network(name)
      if (found) return subnetOf(found)
      const subnet = subnets.pick(id)
      try {
        await engine.createNetwork({ name, labels: all, subnet, hasNames: !isAskedElsewhere(kind, shape) })
        return subnet
      } catch (error) {
        const isThere = isProviderError(error, 'Conflict') && /already exists/i.test(error.message)
        const isOverlap = !isThere && isProviderError(error) && /overlap|already used/i.test(error.message)
        if (!isOverlap) subnets.free(subnet)
        if ((!isThere && !isOverlap) || attempt === tries) throw error
      }
    }
  }
}
