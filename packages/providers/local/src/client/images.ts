import {
  admitTags,
  assertOwned,
  type Collection,
  type CreateToken,
  checkFilter,
  createByName,
  fingerprint,
  hasTags,
  type ImageInfo,
  type ImageSpec,
  isProviderError,
  type Owner,
  ProviderError,
} from '@stead/provider-kit'
import { type Images, isId } from '../images/images.ts'
import { idOf } from './ids.ts'

/** Root file systems as archives, brought in by whoever may. `usedBy` names a server that an image is still needed for. */
export function imageCollection(
  images: Images,
  owner: Owner,
  usedBy: (id: string) => Promise<string | undefined>,
): Collection<ImageSpec, ImageInfo> {
  const describe = async (id: string): Promise<ImageInfo> => {
    if (!isId(id)) throw new ProviderError('NotFound', `there is no image ${JSON.stringify(id)}`)
    return images.read(id).info
  }
  return {
    describe: async (id, { signal } = {}) => {
      signal?.throwIfAborted()
      return describe(id)
    },

    async create(spec: ImageSpec, token: CreateToken, { signal } = {}) {
      signal?.throwIfAborted()
      admitTags(spec, owner)
      const { name, tags, sizeBytes, sha256, architecture } = spec
      const info: ImageInfo = {
        ...{ id: idOf('img', token), name, tags, state: 'ready', architecture, sizeBytes },
        ...{ virtualization: null, minDiskBytes: null, gpu: null, os: null },
      }
      const print = fingerprint({ name, tags, sizeBytes, sha256, architecture })
      const find = async () => {
        const { info: value, fingerprint } = images.read(info.id)
        return { value, fingerprint }
      }
      const make = async () => {
        if (images.has(info.id)) throw new ProviderError('Conflict', `image ${info.id} is there already`)
        await images.add({ info, fingerprint: print }, spec)
        return info
      }
      return createByName({ token, fingerprint: print, find, make })
    },

    async *list(filter, { signal } = {}) {
      checkFilter(filter)
      signal?.throwIfAborted()
      const all = await images.all()
      yield all.map(({ info }) => info).filter(info => hasTags(info.tags, filter.tags))
    },

    async delete(id, { signal } = {}) {
      signal?.throwIfAborted()
      try {
        assertOwned(await describe(id), owner.controlPlane)
      } catch (error) {
        if (isProviderError(error, 'NotFound')) return
        throw error
      }
      const user = await usedBy(id)
      if (user) throw new ProviderError('Conflict', `image ${id} is used by ${user}`)
      await images.remove(id)
    },
  }
}
