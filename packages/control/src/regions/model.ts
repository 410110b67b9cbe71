import type { BaseStatus, StoredObject } from '@stead/engine'
import Type, { type Static } from 'typebox'
import { Condition, Time } from '../resource/model.ts'
import { resource } from '../resource/resource.ts'
import { SealedContent } from '../sealed/model.ts'

/** `draining` takes nothing new; `maintenance` is also left alone: nothing is done there until it is over. */
export const RegionMode = Type.Enum(['active', 'draining', 'maintenance'])

/** A named place that runs instances, backed by one provider and its configuration. It belongs to the platform. */
export const RegionSpec = Type.Object({
  provider: Type.String({ minLength: 1, description: 'The kind of provider. It never changes.' }),
  configuration: Type.Record(Type.String(), Type.Unknown(), { default: {} }),
  credentials: Type.Optional(SealedContent),
  mode: RegionMode,
  organizations: Type.Optional(
    Type.Array(Type.String(), { uniqueItems: true, description: 'Who may use it; absent: every organization.' }),
  ),
})

export const RegionHealth = Type.Enum(['healthy', 'unhealthy', 'unknown'])

export const RegionStatus = Type.Object({
  health: RegionHealth,
  /** Why it is not healthy, in words for whoever uses it. */
  reason: Type.Optional(Type.String()),
  /** When health last became what it is. */
  since: Type.Optional(Time),
  /** What instances there can be made of, and what can be done with them. */
  sources: Type.Array(Type.String()),
  capabilities: Type.Array(Type.String()),
  notes: Type.Array(Type.String()),
  conditions: Type.Optional(Type.Array(Condition)),
})

export const Region = resource('region', 'reg', RegionSpec, RegionStatus, { immutable: ['/spec/provider'] })
export type Region = StoredObject<Static<typeof RegionSpec>, Static<typeof RegionStatus> & BaseStatus>

/** One name, one region, on the whole platform. */
export const regionName = (name: string): string => `region-name/${name}`
