import type { BaseStatus, Index, StoredObject } from '@stead/engine'
import { type ServerState, serverStates } from '@stead/provider-kit'
import { type Duration, type Instant, isoTime, minutes, seconds } from '@stead/world'
import { Time } from '../../resource/model.ts'
import { nameless } from '../../resource/nameless.ts'
import { Type } from '../../schema/type.ts'

/** `unknown`: of no server that we have. `duplicate`: of a server that has another. */
export type OrphanReason = 'unknown' | 'duplicate'

/** A backend object that carries our tags and that nobody here answers for. It is reported, and mostly left alone. */
export interface OrphanSpec {
  /** The region's id. */
  readonly region: string
  readonly backendId: string
  /** What its tags say. */
  readonly serverId?: string
  readonly instanceId?: string
  readonly projectId?: string
  readonly reason: OrphanReason
  /** An operator has said that it is to go, or the sweep is about to remove it. */
  readonly reap?: { readonly by: string }
}

export interface OrphanStatus extends BaseStatus {
  /** When it was first reported. */
  readonly state: ServerState
  readonly launchedAt?: Instant
}

export const Orphan = nameless<OrphanSpec, OrphanStatus>('orphan', 'orp', {
  spec: Type.Object({
    region: Type.String(),
    backendId: Type.String({ description: 'What the backend calls it.' }),
    serverId: Type.Optional(Type.String({ description: 'The server that its tag names.' })),
    instanceId: Type.Optional(
      Type.String({ description: 'The instance that its tag names, whether that is there or not.' }),
    ),
    projectId: Type.Optional(Type.String({ description: 'The project of that.' })),
    reason: Type.Enum(['unknown', 'duplicate'], {
      description: '`unknown`: nothing here is known of its server. `duplicate`: its server has another.',
    }),
    reap: Type.Optional(
      Type.Object(
        { by: Type.String() },
        { description: 'Who has said that it is to go; `sweep` where the store itself knew that.' },
      ),
    ),
  }),
  status: Type.Object({
    state: Type.Enum([...serverStates], { description: 'As it was when it was found.' }),
    launchedAt: Type.Optional(Time),
  }),
  show: ({ spec, status: { state, launchedAt } }) => ({
    spec,
    status: { state, ...(launchedAt !== undefined && { launchedAt: isoTime(launchedAt) }) },
  }),
})
export type Orphan = StoredObject<OrphanSpec, OrphanStatus>

export const orphansByRegion: Index<Orphan> = { name: 'region', kind: Orphan.kind, keys: ({ spec }) => [spec.region] }

/** A launch that is younger than our view of the store looks like one: what is told has lasted a while. */
export const reportedAfter: Duration = seconds(30)
export const removedAfter: Duration = minutes(5)
/** More than so many at once is not litter, but a mistake: then none goes without an operator's word. */
export const sweepCap = 20
