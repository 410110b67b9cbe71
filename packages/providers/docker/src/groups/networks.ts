import {
  admitTags,
  assertOwned,
  type Collection,
  type CreateToken,
  checkFilter,
  createByName,
  createTags,
  fingerprint,
  hasTags,
  isProviderError,
  type NetworkInfo,
  type NetworkSpec,
  type Owner,
  ProviderError,
} from '@stead/provider-kit'
import type { Engine } from '../engine/engine.ts'
import type { Network } from '../engine/words.ts'
import type { Guard } from '../guard/guard.ts'
import { idOf, labels, tagsIn } from '../server/labels.ts'

const own = { name: 'stead.docker.network-name' }

function infoOf({ Name, Labels, IPAM }: Network): NetworkInfo {
  const { [own.name]: name = Name, ...tags } = Labels ?? {}
  return { id: Name, name, state: 'ready', tags: tagsIn(tags), cidr: IPAM?.Config?.[0]?.Subnet ?? '' }
}

/** Networks that servers share, beside the one that each has to itself. */
export function networkCollection(engine: Engine, owner: Owner, guard: Guard): Collection<NetworkSpec, NetworkInfo> {
  const find = async (id: string, signal?: AbortSignal): Promise<Network> => {
    const found = /^[\w][\w.-]*$/.test(id) ? await engine.network(id, signal) : undefined
    // An engine also finds them by its own ids, and a server's own is none of these.
    if (found?.Name !== id || found.Labels?.[labels.id])
      throw new ProviderError('NotFound', `there is no network ${JSON.stringify(id)}`)
    return found
  }
  return {
    describe: async (id, { signal } = {}) => infoOf(await find(id, signal)),

    async create(spec: NetworkSpec, token: CreateToken, { signal } = {}) {
      signal?.throwIfAborted()
      admitTags(spec, owner)
      const { name, tags, cidr } = spec
      const id = idOf('network-', token)
      const print = fingerprint({ name, tags, cidr })
      const there = async () => {
        const network = await engine.network(id)
        return network && { value: infoOf(network), fingerprint: network.Labels?.[createTags.fingerprint] }
      }
      const make = async () => {
        // A name is taken by the first who asks, but addresses are looked at before names.
        if (await engine.network(id)) throw new ProviderError('Conflict', `network ${id} is there already`)
        const all = { ...tags, [createTags.fingerprint]: print, [own.name]: name }
        try {
          await engine.createNetwork({ name: id, labels: all, subnet: cidr })
        } catch (error) {
          if (isProviderError(error) && /overlap|already used/i.test(error.message) && !(await engine.network(id)))
            throw new ProviderError('InvalidConfig', `addresses of ${cidr} are in use on this engine`, { cause: error })
          throw error
        }
        return infoOf(await find(id))
      }
      await guard.cover(cidr)
      return createByName({ token, fingerprint: print, find: there, make })
    },

    async *list(filter, { signal } = {}) {
      checkFilter(filter)
      const all = await engine.networks({}, signal)
      yield all.filter(({ Labels }) => !Labels?.[labels.id] && hasTags(Labels ?? {}, filter.tags)).map(infoOf)
    },

    async delete(id, { signal } = {}) {
      const found = await engine.network(id, signal)
      if (!found) return
      assertOwned(infoOf(found), owner.controlPlane)
      const [user] = await engine.containers({ [labels.network]: id }, signal)
      if (user) throw new ProviderError('Conflict', `${id} is used by ${user.Labels?.[labels.id]}`)
      try {
        await engine.removeNetwork(id)
      } catch (error) {
        // Something that is not ours was connected to it.
        if (!isProviderError(error) || !/active endpoints|in use|being used/i.test(error.message)) throw error
        throw new ProviderError('Conflict', `${id} is in use`, { cause: error })
      }
    },
  }
}
