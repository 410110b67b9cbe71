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
  type ResourceSpec,
  type SnapshotSpec,
} from '@stead/provider-kit'
import { type Images, isId, type KeptImage } from '../images/images.ts'
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
      const { sizeBytes, sha256, architecture } = spec
      return createOnce(images, owner, {
        ...{ spec, token, sizeBytes, architecture, what: { sizeBytes, sha256, architecture } },
        make: kept => images.add(kept, spec),
      })
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

interface Capturing {
  readonly owner: Owner
  owned(id: string, signal: AbortSignal | undefined): Promise<void>
  capture(id: string, image: KeptImage, signal: AbortSignal | undefined): Promise<void>
}

/** Images made of what services have on their disks. They are kept, found and removed like any other. */
export function snapshotCollection(
  images: Images,
  all: Collection<ImageSpec, ImageInfo>,
  { owner, owned, capture }: Capturing,
): Collection<SnapshotSpec, ImageInfo> {
  return {
    ...all,
    async create(spec: SnapshotSpec, token: CreateToken, { signal } = {}) {
      signal?.throwIfAborted()
      const { server } = spec
      return createOnce(images, owner, {
        ...{ spec, token, sizeBytes: null, architecture: null, what: { server } },
        make: async kept => {
          await owned(server, signal)
          await capture(server, kept, signal)
        },
      })
    },
  }
}

interface Making {
  readonly spec: ResourceSpec
  readonly token: CreateToken
  readonly sizeBytes: number | null
  readonly architecture: ImageInfo['architecture']
  /** What makes it another one than the token was used for. */
  readonly what: object
  make(kept: KeptImage): Promise<void>
}

/** One image for one token. */
function createOnce(images: Images, owner: Owner, making: Making): Promise<ImageInfo> {
  const { spec, token, sizeBytes, architecture, what, make } = making
  admitTags(spec, owner)
  const { name, tags } = spec
  const info: ImageInfo = {
    ...{ id: idOf('img', token), name, tags, state: 'ready', architecture, sizeBytes },
    ...{ virtualization: null, minDiskBytes: null, gpu: null, os: null },
  }
  const print = fingerprint({ name, tags, ...what })
  return createByName({
    ...{ token, fingerprint: print },
    find: async () => {
      const { info: value, fingerprint } = images.read(info.id)
      return { value, fingerprint }
    },
    make: async () => {
      if (images.has(info.id)) throw new ProviderError('Conflict', `image ${info.id} is there already`)
      await make({ info, fingerprint: print })
      return info
    },
  })
}
