import { type ImageInfo, ProviderError, type ImageSpec as Spec } from '@stead/provider-kit'
import type { RealisedKind } from '../realised/kind.ts'
import { type Part, type Whole, whole } from '../teardown/model.ts'
import { bringing } from './bring.ts'
import { type Fetching, transferTime } from './fetch.ts'
import { Image, imageName, imagesByRegion } from './model.ts'
import type { Staging } from './staging/staging.ts'

/** An image with what must be gone before it: whatever was made of it. */
export const imageWhole = (parts: readonly Part[]): Whole =>
  whole<Image>(Image.kind, { parts, keys: ({ projectId, name }) => [imageName(projectId!, name!)] })

/** How images exist in regions: their content comes here first, so that it can be sent as often as it takes. */
export const realisedImages = (of: Whole, fetching: Fetching): RealisedKind<Image, Spec, ImageInfo> => ({
  whole: of,
  group: 'images',
  collection: ({ images }) => images,
  regionOf: ({ spec }) => spec.region,
  inRegion: (everything, regionId) =>
    everything.list({ kind: Image.kind, index: { name: imagesByRegion.name, key: regionId } }).items,
  needs: ({ spec: { source }, status }) =>
    'upload' in source && !status.staged ? 'waits for its content: PUT it to …/content' : undefined,
  preparing: bringing(fetching),
  specOf: ({ id, spec, status }) => ({
    ...status.staged!,
    architecture: spec.architecture ?? null,
    open: options => readable(fetching.staging, id, options?.signal),
  }),
  createDeadline: transferTime,
})

async function* readable(staging: Staging, id: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* staging.open(id, signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    throw new ProviderError('Unavailable', 'its staged content cannot be read', { cause: error })
  }
}
