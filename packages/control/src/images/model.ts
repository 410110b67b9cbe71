import type { Index, StoredObject } from '@stead/engine'
import type { Static } from 'typebox'
import { type RealisedStatus, ShownRealisedStatus, showRealised } from '../realised/model.ts'
import { RegionField } from '../regions/in-regions.ts'
import { writeSchema } from '../resource/bodies.ts'
import { type Resource, resource } from '../resource/resource.ts'
import { Type } from '../schema/type.ts'

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of all its bytes, in lower-case hex.' })
const Size = Type.Integer({ minimum: 1, description: 'In bytes.' })

const UrlSource = Type.Object({
  url: Type.String({
    ...{ minLength: 1, maxLength: 2_048 },
    description:
      'Where it is fetched from, over http or https. Whoever may read the image may read this: no password belongs in it.',
  }),
  sha256: Type.Optional(Sha256),
  sizeBytes: Type.Optional(Size),
})

const UploadSource = Type.Object({
  upload: Type.Object({ sizeBytes: Size, sha256: Sha256 }, { description: 'What will be sent with `PUT …/content`.' }),
})

const SnapshotSource = Type.Object({
  snapshot: Type.Object(
    {
      instance: Type.Object({ id: Type.String(), name: Type.String() }),
      diskGiB: Type.Optional(Type.Integer({ description: 'Of what it was taken of: a smaller one does not hold it.' })),
    },
    { description: 'It was taken of an instance, with `POST …/instances/{instance}/snapshot`.' },
  ),
})
export type SnapshotSource = Static<typeof SnapshotSource>

const rest = {
  architecture: Type.Optional(
    Type.Enum(['x86_64', 'aarch64'], { description: 'What it runs on; unless said, anything.' }),
  ),
}
const BroughtSource = Type.Union([UrlSource, UploadSource])

/** Something to boot that a project has brought to a region. */
export const ImageSpec = Type.Object({
  region: RegionField,
  ...rest,
  source: Type.Union([UrlSource, UploadSource, SnapshotSource]),
})
export type ImageSpec = Static<typeof ImageSpec>
export type BroughtSource = Static<typeof BroughtSource>
export type UrlSource = Static<typeof UrlSource>

const Content = Type.Object(
  { sizeBytes: Type.Integer(), sha256: Type.String() },
  { description: 'What it holds, measured as it came.' },
)
const Progress = Type.Object(
  { transferredBytes: Type.Integer(), totalBytes: Type.Optional(Type.Integer()) },
  { description: 'How much has come from its source, told every few seconds; the whole, where the source says it.' },
)

export interface ImageStatus extends RealisedStatus {
  /** It is here, whole and checked, until the region has it. */
  readonly staged?: Static<typeof Content>
  /** Of a snapshot: what the backend calls the server it is taken of. */
  readonly server?: string
  /** It is on its way here. */
  readonly progress?: Static<typeof Progress>
}

export type Image = StoredObject<ImageSpec, ImageStatus>

const ShownImageStatus = Type.Object({
  ...ShownRealisedStatus.properties,
  state: Type.Enum(['pending', 'transferring', 'ready', 'failed', 'lost', 'deleting'], {
    description: [
      '`pending`: it waits for its content, or for its turn. `transferring`: its content is on the way here, or to the region.',
      '`failed`: it cannot be had, and the reason says why. `lost`: it was there, and is gone without our doing.',
    ].join(' '),
  }),
  content: Type.Optional(Content),
  progress: Type.Optional(Progress),
})

/** How one is shown: what is on the way is `transferring`. */
export function showImage(image: Image) {
  const { staged, progress, sent } = image.status
  const { spec, status } = showRealised(image)
  const isPending = status.state === 'pending'
  const isMoving = isPending && (staged ?? progress ?? sent) !== undefined
  const { progress: _, ...known } = { ...image.status, ...status }
  return {
    spec,
    status: {
      ...known,
      ...(isMoving && { state: 'transferring' }),
      ...(staged && { content: staged }),
      ...(isPending && progress && { progress }),
    },
  }
}

const prefix = 'img'

/** Whether a text is the id of an image of a project, and no word of a backend. */
export const isImageId = (text: string): boolean => text.startsWith(`${prefix}_`)

export const Image: Resource<typeof ImageSpec, ImageStatus> = resource('image', prefix, ImageSpec, ShownImageStatus, {
  immutable: ['/spec/region', '/spec/architecture', '/spec/source'],
  show: showImage,
})

/** How one is sent. */
export const ImageWriteSpec = Type.Object({ region: Type.Optional(RegionField), ...rest, source: BroughtSource })
export const ImageWrite = writeSchema('Image', Image.kind, ImageWriteSpec)

/** One name, one image, in a project. */
export const imageName = (projectId: string, name: string): string => `image-name/${projectId}/${name}`

export const imagesByRegion: Index<Image> = { name: 'region', kind: Image.kind, keys: ({ spec }) => [spec.region] }

/** By what their region's backend calls them. */
export const imagesByBackend: Index<Image> = {
  name: 'backend',
  kind: Image.kind,
  keys: ({ status }) => (status.backendId === undefined ? [] : [status.backendId]),
}

/** By the instance they were taken of. */
export const snapshotsByInstance: Index<Image> = {
  name: 'instance',
  kind: Image.kind,
  keys: ({ spec: { source } }) => ('snapshot' in source ? [source.snapshot.instance.id] : []),
}
