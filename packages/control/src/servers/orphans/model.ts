import { type BaseStatus, type Index, kindOf, type StoredObject } from '@stead/engine'
import type { ServerState } from '@stead/provider-kit'
import { type Duration, minutes, seconds } from '@stead/world'

/** `unknown`: of no server that we have. `duplicate`: of a server that has another. */
export type OrphanReason = 'unknown' | 'duplicate'

/** A backend object that carries our tags and that nobody here answers for. It is reported, and mostly left alone. */
export interface OrphanSpec {
  /** The region's id. */
  readonly region: string
  readonly backendId: string
  /** What its tag says. */
  readonly serverId?: string
  readonly reason: OrphanReason
  /** An operator has said that it is to go. */
  readonly reap?: { readonly by: string }
}

export interface OrphanStatus extends BaseStatus {
  readonly state: ServerState
  readonly launchedAt?: number
}

export const orphans = kindOf<Orphan>('orphan')
export type Orphan = StoredObject<OrphanSpec, OrphanStatus>

export const orphansByRegion: Index<Orphan> = { name: 'region', kind: orphans, keys: ({ spec }) => [spec.region] }

/** A launch that is younger than our view of the store looks like one: what is told has lasted a while. */
export const reportedAfter: Duration = seconds(30)
export const removedAfter: Duration = minutes(5)
/** More than so many at once is not litter, but a mistake: then none goes without an operator's word. */
export const sweepCap = 20
