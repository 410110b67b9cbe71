import type { StoredObject } from '@stead/engine'
import { type Instant, isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { writeSchema } from '../resource/bodies.ts'
import { Time } from '../resource/model.ts'
import { resource } from '../resource/resource.ts'
import { secret } from '../schema/secret.ts'
import { Type } from '../schema/type.ts'
import type { SealedContent } from '../sealed/model.ts'
import { type EndingStatus, type Part, ShownEndingStatus, type Whole, whole } from '../teardown/model.ts'

/** Certificates with their chains fit; what is larger is no secret but a file. */
export const mostValueBytes = 65_536
/** In base64, and with room to say how much too long it is. */
const longestValue = 131_072

/** A value as it is sent: exactly one of the two. */
export const sentValue = {
  value: Type.Optional(
    secret(Type.String({ maxLength: longestValue, writeOnly: true, description: 'What is kept secret, as text.' })),
  ),
  valueBase64: Type.Optional(
    secret(
      Type.String({ maxLength: longestValue, writeOnly: true, description: 'In its place, where it is not text.' }),
    ),
  ),
}

const kept = {
  type: Type.Optional(
    Type.Enum(['opaque', 'registry'], {
      default: 'opaque',
      description: '`registry`: the password with which images are pulled. It never changes.',
    }),
  ),
  registry: Type.Optional(
    Type.Object(
      {
        server: Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: '^[A-Za-z0-9.-]+(:[0-9]{1,5})?$',
          description: 'As image names begin: `registry.example.com:5000`.',
        }),
        username: Type.String({ minLength: 1, maxLength: 255 }),
      },
      { description: 'Of one of type `registry`; the value is the password.' },
    ),
  ),
  keepVersions: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 10,
      description: 'How many versions are kept; older ones go with the next write, unless something uses them.',
    }),
  ),
}

/** Something that is written once for each version, and handed only to what was told to use it. */
export const SecretSpec = Type.Object(kept)
export type SecretSpec = Static<typeof SecretSpec>

/** How one is sent: with its first value in the open, once. */
export const SecretWriteSpec = Type.Object({ ...kept, ...sentValue })

export interface SecretVersion {
  readonly version: number
  /** Beside the secret. Two versions of the same content share it. */
  readonly content: SealedContent
  readonly createdAt: Instant
  readonly createdBy: string
}

export interface SecretStatus extends EndingStatus {
  /** Whether it can be in an environment. It stays so: what uses it was accepted for that. */
  readonly isText: boolean
  /** The oldest first; the last one is the newest. */
  readonly versions: readonly SecretVersion[]
}

export type Secret = StoredObject<SecretSpec, SecretStatus>

/** What is told of a version: neither its content nor a hash, by which equal ones could be found. */
export const ShownVersion = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    sizeBytes: Type.Integer({ minimum: 0 }),
    createdAt: Time,
    createdBy: Type.String(),
  },
  { title: 'SecretVersion' },
)

export const showVersion = ({ version, content, createdAt, createdBy }: SecretVersion) => ({
  version,
  sizeBytes: content.sizeBytes,
  createdAt: isoTime(createdAt),
  createdBy,
})

export const newestOf = ({ status }: Pick<Secret, 'status'>): SecretVersion => status.versions.at(-1)!

const ShownStatus = Type.Object({
  version: Type.Integer({ minimum: 1, description: 'The newest.' }),
  sizeBytes: Type.Integer({ minimum: 0 }),
  createdAt: { ...Time, description: 'When the newest version was written.' },
  createdBy: Type.String({ description: 'Who wrote it.' }),
  isText: Type.Boolean({ description: 'Whether it can be in an environment.' }),
  versions: Type.Integer({ minimum: 1, description: 'How many are kept.' }),
  ...ShownEndingStatus.properties,
})

export const Secret = resource<typeof SecretSpec, typeof ShownStatus, SecretStatus>(
  'secret',
  'sec',
  SecretSpec,
  ShownStatus,
  {
    immutable: ['/spec/type', '/spec/registry/server'],
    show: ({ spec, status }) => ({
      spec,
      status: {
        ...showVersion(newestOf({ status })),
        isText: status.isText,
        versions: status.versions.length,
        ...(status.conditions && { conditions: status.conditions }),
      },
    }),
  },
)

export const SecretWrite = writeSchema('Secret', Secret.kind, SecretWriteSpec)

/** One name, one secret, in a project. */
export const secretName = (projectId: string, name: string): string => `secret-name/${projectId}/${name}`

/** A secret with what must be gone before it: whatever uses it. */
export const secretWhole = (parts: readonly Part[]): Whole =>
  whole<Secret>(Secret.kind, { parts, keys: ({ projectId, name }) => [secretName(projectId!, name!)] })
