import type { StoredObject } from '@stead/engine'
import type { Instant } from '@stead/world'
import type { Static } from 'typebox'
import { Condition } from '../resource/model.ts'
import { Type } from '../schema/type.ts'
import type { EndingStatus } from '../teardown/model.ts'

const State = Type.Enum(['pending', 'ready', 'failed', 'lost', 'deleting'], {
  description:
    '`failed`: it cannot be made as it is asked for, and the reason says why. `lost`: it was there, and is gone without our doing.',
})

/** What callers see of something that exists in a region. */
export const ShownRealisedStatus = Type.Object({
  state: State,
  reason: Type.Optional(Type.String({ description: 'Why it is not ready, in a sentence.' })),
  observedGeneration: Type.Optional(Type.Integer({ description: 'The newest spec that the region has.' })),
  conditions: Type.Optional(Type.Array(Condition)),
})

/** The status of an object that stands for something in a region's backend. */
export interface RealisedStatus extends EndingStatus {
  /** What was last known of it. That it is on its way out is not written here: `deletedAt` says that. */
  readonly state: Exclude<Static<typeof State>, 'deleting'>
  readonly reason?: string
  readonly observedGeneration?: number
  /**
   * Written before the first create is sent, with what of it could change later: a token that is sent again with anything
   * else would be refused. `refused`: the backend has said no to the only one that was sent, so nothing was made.
   */
  readonly sent?: { readonly labels: Readonly<Record<string, string>>; readonly refused?: true }
  /** Until then a create that nobody heard of may still come to light. */
  readonly doubtfulUntil?: Instant
  /** The backend's own id, once it has told. */
  readonly backendId?: string
}

/** Any object that stands for something in a region. */
export type Realised<Spec = unknown> = StoredObject<Spec, RealisedStatus>

/** The status of one that was just asked for. */
export const asked: RealisedStatus = { state: 'pending' }

/** How one is shown: what is known of an older spec says nothing of this one, and marked is on its way out. */
export function showRealised<Spec>({ spec, status, deletedAt, generation }: Realised<Spec>) {
  if (deletedAt !== undefined) return { spec, status: { ...status, state: 'deleting' } }
  const isOfOlder = status.state !== 'lost' && status.observedGeneration !== generation
  return { spec, status: isOfOlder ? { ...status, state: 'pending' } : status }
}

/** The condition of one that has vanished outside … */
export const lostCondition = 'Lost'
/** … and of one that is waited for. */
export const delayedCondition = 'Delayed'
