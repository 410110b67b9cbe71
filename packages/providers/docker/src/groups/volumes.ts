import {
  admitTags,
  assertOwned,
  type Collection,
  type CreateToken,
  checkFilter,
  createTags,
  fingerprint,
  hasTags,
  type Owner,
  ProviderError,
  type VolumeInfo,
  type VolumeSpec,
} from '@stead/provider-kit'
import type { Engine } from '../engine/engine.ts'
import type { Volume } from '../engine/words.ts'
import { idOf, labels, tagsIn } from '../server/labels.ts'

const own = { name: 'stead.docker.volume-name', size: 'stead.docker.volume-gib' }

/** Volumes that outlive servers. Their size is kept, and not enforced: the engine's own volumes have none. */
export function volumeCollection(engine: Engine, owner: Owner): Collection<VolumeSpec, VolumeInfo> {
  async function infoOf(volume: Volume, signal: AbortSignal | undefined): Promise<VolumeInfo> {
    const users = await engine.containers({}, signal, { volume: [volume.Name] })
    const { [own.name]: name = volume.Name, [own.size]: size = '0', ...tags } = volume.Labels ?? {}
    const servers = users.flatMap(({ Labels }) => Labels?.[labels.id] ?? [])
    return {
      ...{ id: volume.Name, name, state: 'ready', tags: tagsIn(tags) },
      sizeGiB: Number(size),
      attachedTo: [...new Set(servers)],
    }
  }
  const find = async (id: string, signal?: AbortSignal): Promise<Volume> => {
    const found = await engine.volume(id, signal)
    if (!found) throw new ProviderError('NotFound', `there is no volume ${id}`)
    return found
  }
  return {
    describe: async (id, { signal } = {}) => infoOf(await find(id, signal), signal),

    async create(spec: VolumeSpec, token: CreateToken, { signal } = {}) {
      signal?.throwIfAborted()
      admitTags(spec, owner)
      const { name, tags, sizeGiB } = spec
      const print = fingerprint({ name, tags, sizeGiB })
      const all = { ...tags, [createTags.fingerprint]: print, [own.name]: name, [own.size]: String(sizeGiB) }
      // An engine answers with the volume that has this name already, as it is.
      const made = await engine.createVolume(idOf('volume-', token), all)
      if (made.Labels?.[createTags.fingerprint] !== print)
        throw new ProviderError('Conflict', `token ${token} was used for something else`)
      return infoOf(made, signal)
    },

    async *list(filter, { signal } = {}) {
      checkFilter(filter)
      const all = await engine.volumes({}, signal)
      const wanted = all.filter(({ Labels }) => !Labels?.[labels.id] && hasTags(Labels ?? {}, filter.tags))
      yield await Promise.all(wanted.map(volume => infoOf(volume, signal)))
    },

    async delete(id, { signal } = {}) {
      const found = await engine.volume(id, signal)
      if (!found) return
      const info = await infoOf(found, signal)
      assertOwned(info, owner.controlPlane)
      if (info.attachedTo.length > 0) throw new ProviderError('Conflict', `${id} is used by ${info.attachedTo[0]}`)
      await engine.removeVolume(id)
    },
  }
}
