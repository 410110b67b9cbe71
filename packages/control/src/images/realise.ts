import { type CallOptions, type ImageInfo, type ImageSpec, ProviderError, type SnapshotSpec } from '@stead/provider-kit'
import { endOperation, openOperations } from '../operations/lifecycle.ts'
import type { RealisedKind } from '../realised/kind.ts'
import { type Part, type Whole, whole } from '../teardown/model.ts'
import { bringing } from './bring.ts'
import { type Fetching, transferTime } from './fetch.ts'
import { Image, imageName, imagesByRegion } from './model.ts'
import type { Staging } from './staging/staging.ts'

/** An image with what must be gone before it: whatever was made of it. */
export const imageWhole = (parts: readonly Part[]): Whole =>
  whole<Image>(Image.kind, { parts, keys: ({ projectId, name }) => [imageName(projectId!, name!)] })

const isSnapshot = ({ spec }: Image): boolean => 'snapshot' in spec.source

/** What is brought, and what is taken of a server. */
type Spec = ImageSpec | SnapshotSpec

/**
 * How images exist in regions. The content of what is brought comes here first, so that it can be sent as often as it takes;
 * a snapshot is taken there, of a server.
 */
export const realisedImages = (of: Whole, fetching: Fetching): RealisedKind<Image, Spec, ImageInfo> => ({
  whole: of,
  group: image => (isSnapshot(image) ? 'snapshot' : 'images'),
  collection: ({ images, snapshot }, image) => (isSnapshot(image) ? snapshot : images),
  regionOf: ({ spec }) => spec.region,
  inRegion: (everything, regionId) =>
    everything.list({ kind: Image.kind, index: { name: imagesByRegion.name, key: regionId } }).items,
  needs: ({ spec: { source }, status }) =>
    'upload' in source && !status.staged ? 'waits for its content: PUT it to …/content' : undefined,
  preparing: bringing(fetching),
  specOf: ({ id, spec, status }) =>
    status.server === undefined
      ? {
          ...status.staged!,
          architecture: spec.architecture ?? null,
          open: (options?: CallOptions) => readable(fetching.staging, id, options?.signal),
        }
      : { server: status.server },
  // What it is taken of was there when it was asked for.
  isHopeless: (image, code) => isSnapshot(image) && code === 'NotFound',
  concluding: endSnapshot,
  createDeadline: transferTime,
})

/** The request for a snapshot has come to its end with the image. */
const endSnapshot: NonNullable<RealisedKind<Image, Spec, ImageInfo>['concluding']> = (
  set,
  image,
  end,
  { cache, now },
) => {
  for (const operation of openOperations(cache, image)) {
    if (end.state === 'ready') endOperation(set, operation, { state: 'succeeded', at: now })
    else if (end.state === 'gone') endOperation(set, operation, { state: 'cancelled', at: now })
    else if (end.state === 'failed')
      endOperation(set, operation, { state: 'failed', at: now, error: { code: 'failed', message: end.reason } })
  }
}

async function* readable(staging: Staging, id: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* staging.open(id, signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    throw new ProviderError('Unavailable', 'its staged content cannot be read', { cause: error })
  }
}
