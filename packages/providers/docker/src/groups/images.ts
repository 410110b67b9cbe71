import { createHash } from 'node:crypto'
import {
  type Architecture,
  admitTags,
  assertOwned,
  type Collection,
  type CreateToken,
  checkFilter,
  createByName,
  createTags,
  fingerprint,
  hasTags,
  type ImageInfo,
  type ImageSpec,
  isProviderError,
  type Owner,
  ownTags,
  ProviderError,
} from '@stead/provider-kit'
import type { Engine, Labels } from '../engine/engine.ts'
import type { Image, ListedImage } from '../engine/words.ts'
import { idOf, tagsIn } from '../server/labels.ts'

/** What Stead must know of an image and the engine does not keep. */
const own = { name: 'stead.docker.image-name', size: 'stead.docker.image-bytes' }

const archived = { x86_64: 'amd64', aarch64: 'arm64' } as const
const architectures: Readonly<Record<string, Architecture>> = { amd64: 'x86_64', arm64: 'aarch64' }

export function imageInfo(image: ListedImage | Image, id: string): ImageInfo {
  const labels = ('Config' in image ? image.Config?.Labels : (image as ListedImage).Labels) ?? {}
  const architecture = 'Architecture' in image ? architectures[image.Architecture ?? ''] : undefined
  const { [own.name]: name = id, [own.size]: _, ...tags } = labels
  return {
    ...{ id, name, state: 'ready', tags: tagsIn(tags), architecture: architecture ?? null, sizeBytes: image.Size },
    ...{ virtualization: null, minDiskBytes: null, gpu: null, os: null },
  }
}

/** An instruction of a Dockerfile, whose words may hold anything. */
const label = (key: string, value: string) => `LABEL ${quote(key)}=${quote(value)}`
const quote = (text: string) => `"${text.replace(/[\\"$]/g, '\\$&').replace(/\n/g, '\\n')}"`

/** Root file systems, brought in as archives. */
export function imageCollection(engine: Engine, owner: Owner): Collection<ImageSpec, ImageInfo> {
  const find = async (id: string, signal?: AbortSignal): Promise<Image> => {
    const found = /^[\w][\w./:@-]*$/.test(id) ? await engine.image(id, signal) : undefined
    if (!found) throw new ProviderError('NotFound', `there is no image ${JSON.stringify(id)}`)
    return found
  }
  const labelsOf = (image: Image): Labels => image.Config?.Labels ?? {}
  return {
    describe: async (id, { signal } = {}) => imageInfo(await find(id, signal), id),

    async create(spec: ImageSpec, token: CreateToken, { signal } = {}) {
      signal?.throwIfAborted()
      admitTags(spec, owner)
      const { name, tags, sizeBytes, sha256, architecture } = spec
      const id = idOf('image-', token)
      const print = fingerprint({ name, tags, sizeBytes, sha256, architecture })
      const there = async () => {
        const image = await engine.image(id)
        return image && { value: imageInfo(image, id), fingerprint: labelsOf(image)[createTags.fingerprint] }
      }
      const make = async () => {
        // A second import takes over the name: whoever comes later must look first.
        if (await engine.image(id)) throw new ProviderError('Conflict', `image ${id} is there already`)
        const all = { ...tags, [createTags.fingerprint]: print, [own.name]: name, [own.size]: String(sizeBytes) }
        const changes = Object.entries(all).map(([key, value]) => label(key, value))
        await engine.importImage(id, checked(spec), changes, architecture === null ? undefined : archived[architecture])
        return imageInfo(await find(id), id)
      }
      return createByName({ token, fingerprint: print, find: there, make })
    },

    async *list(filter, { signal } = {}) {
      checkFilter(filter)
      const all = await engine.images({}, signal)
      const named = all.flatMap(image => (image.RepoTags ?? []).map(tag => imageInfo(image, shortName(tag))))
      yield named.filter(({ tags }) => hasTags(tags, filter.tags))
    },

    async delete(id, { signal } = {}) {
      try {
        assertOwned(imageInfo(await find(id, signal), id), owner.controlPlane)
        const users = await engine.containers({ [ownTags.managedBy]: '' }, signal, { ancestor: [id] })
        if (users.length > 0) throw new ProviderError('Conflict', `image ${id} is used by ${users[0]!.Names?.[0]}`)
        await engine.removeImage(id)
      } catch (error) {
        if (!isProviderError(error, 'NotFound')) throw error
      }
    },
  }
}

/** Without what every engine adds by itself. */
export const shortName = (tag: string): string =>
  tag.replace(/^(localhost|docker\.io\/library)\/(?=stead-)/, '').replace(/^(stead-.*):latest$/, '$1')

/** Its content, and a failure at its end if it is not the one that was announced. */
async function* checked({ open, sha256, sizeBytes }: ImageSpec): AsyncGenerator<Uint8Array> {
  const sum = createHash('sha256')
  let bytes = 0
  // The last piece is held back: an archive without its end is no archive, and makes no image.
  let held: Uint8Array | undefined
  for await (const chunk of open()) {
    if (held) yield held
    held = chunk
    sum.update(chunk)
    bytes += chunk.length
  }
  if (bytes !== sizeBytes || sum.digest('hex') !== sha256)
    throw new ProviderError('InvalidConfig', 'what arrived is not the image that was announced')
  if (held) yield held
}
