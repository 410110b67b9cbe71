import type { StoredObject } from '@stead/engine'
import type { Static } from 'typebox'
import { writeSchema } from '../resource/bodies.ts'
import { Condition, resourceSchema } from '../resource/model.ts'
import { resource } from '../resource/resource.ts'
import { secret } from '../schema/secret.ts'
import { Type } from '../schema/type.ts'
import { SealedContent } from '../sealed/model.ts'
import type { EndingStatus } from '../teardown/model.ts'
import { OperatorFlavors, OperatorImages } from './catalog/model.ts'

/**
 * `draining` takes nothing new. `maintenance` is also left alone: it is looked at, and nothing is changed there until it
 * is over.
 */
export const RegionMode = Type.Enum(['active', 'draining', 'maintenance'])

const provider = Type.String({ minLength: 1, description: 'The kind of provider. It never changes.' })
const Configuration = Type.Record(Type.String(), Type.Unknown(), { description: 'What the provider asks for.' })
const organizations = Type.Optional(
  Type.Array(Type.String(), {
    uniqueItems: true,
    maxItems: 1_000,
    description: 'Who may use it, by id or by name; absent: every organization.',
  }),
)

const offering = { flavors: Type.Optional(OperatorFlavors), images: Type.Optional(OperatorImages) }

/** A named place that runs instances, backed by one provider and its configuration. It belongs to the platform. */
export const RegionSpec = Type.Object({
  provider,
  configuration: Configuration,
  credentials: Type.Optional(SealedContent),
  mode: RegionMode,
  organizations,
  ...offering,
})
export type RegionSpec = Static<typeof RegionSpec>

/** How one is sent: credentials in the open, once. */
export const RegionWriteSpec = Type.Object({
  provider,
  configuration: Type.Optional(Configuration),
  credentials: Type.Optional(
    secret(
      Type.Record(Type.String(), Type.Unknown(), {
        writeOnly: true,
        description: 'What opens the backend. Sealed, and never shown again; a change replaces all of it.',
      }),
    ),
  ),
  mode: Type.Optional(RegionMode),
  organizations,
  ...offering,
})

export const RegionHealth = Type.Enum(['healthy', 'unhealthy', 'unknown'])

const keptStatus = {
  health: RegionHealth,
  reason: Type.Optional(Type.String({ description: 'Why it is not healthy, in words for whoever uses it.' })),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'When health last became what it is.' })),
  sources: Type.Array(Type.String(), { description: 'What instances there can be made of.' }),
  capabilities: Type.Array(Type.String(), { description: 'What can be done with them, besides the least.' }),
  notes: Type.Array(Type.String(), { description: 'What one should know of it: how well it isolates, for one.' }),
}

export const RegionStatus = Type.Object({ ...keptStatus, isDefault: Type.Optional(Type.Boolean()) })
export type RegionStatus = Static<typeof RegionStatus> & EndingStatus

export const Region = resource<typeof RegionSpec, typeof RegionStatus, RegionStatus>(
  'region',
  'reg',
  RegionSpec,
  RegionStatus,
  { immutable: ['/spec/provider'] },
)
export type Region = StoredObject<RegionSpec, RegionStatus>

export const RegionWrite = writeSchema('Region', Region.kind, RegionWriteSpec)

const Share = Type.Union([Type.Object({ total: Type.Number(), used: Type.Number() }), Type.Null()])
const Capacity = Type.Object(
  { servers: Share, cpuMillis: Share, memoryMiB: Share },
  { description: 'How much there is and how much is taken, where the backend says so; for who may change regions.' },
)

/** How one is read. What tells of the backend or of other tenants is only for who may change it. */
export const ShownRegion = resourceSchema(
  Type.Object({
    provider,
    mode: RegionMode,
    configuration: Type.Optional(Configuration),
    credentials: Type.Optional(SealedContent),
    organizations,
    ...offering,
  }),
  Type.Object({
    ...keptStatus,
    isDefault: Type.Boolean({ description: 'Whether it is meant where no region is named.' }),
    checkedAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the node that answers last asked the backend itself; absent when another node does.',
      }),
    ),
    latencyMs: Type.Optional(Type.Integer({ minimum: 0, description: 'How long the backend took then.' })),
    capacity: Type.Optional(Capacity),
    conditions: Type.Optional(Type.Array(Condition)),
  }),
  { title: 'Region' },
)

/** What is known of a region before anybody has looked. */
export const unseenStatus: RegionStatus = { health: 'unknown', sources: [], capabilities: [], notes: [] }

/** One name, one region, on the whole platform. */
export const regionName = (name: string): string => `region-name/${name}`
