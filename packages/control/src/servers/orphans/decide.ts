import type { ServerState } from '@stead/provider-kit'
import type { Duration, Instant } from '@stead/world'
import { type Orphan, type OrphanReason, removedAfter, reportedAfter, sweepCap } from './model.ts'

/** A backend object that maps to nothing, or to a server that has another, as the last complete list shows it. */
export interface Stranger {
  readonly backendId: string
  /** What its tags say. */
  readonly serverId: string | undefined
  readonly instanceId: string | undefined
  readonly projectId: string | undefined
  readonly reason: OrphanReason
  readonly state: ServerState
  readonly launchedAt: Instant | undefined
  /** Between the first complete list that showed it and the last, with none in between that did not. */
  readonly seenFor: Duration
}

export interface OrphanView {
  readonly strangers: readonly Stranger[]
  readonly reported: readonly Orphan[]
  /** Backend ids of those that we meant to delete. */
  readonly givenUp: ReadonlySet<string>
}

export interface OrphanDecision {
  readonly report: readonly Stranger[]
  /** Reported, and not there any more. */
  readonly forget: readonly Orphan[]
  readonly remove: readonly Stranger[]
  /** How many would go if that were not too many. */
  readonly overCap: number
}

/** Those of which it has to be known whether their server was given up. */
export const isOld = ({ reason, seenFor }: Stranger): boolean => reason === 'unknown' && seenFor >= removedAfter

export function decideOrphans({ strangers, reported, givenUp }: OrphanView): OrphanDecision {
  const known = new Map(reported.map(orphan => [orphan.spec.backendId, orphan]))
  const there = new Set(strangers.map(({ backendId }) => backendId))
  const alive = strangers.filter(({ state }) => state !== 'terminating')
  const reaped = alive.filter(({ backendId }) => known.get(backendId)?.spec.reap !== undefined)
  const swept = alive.filter(stranger => isOld(stranger) && givenUp.has(stranger.backendId))
  const isTooMany = swept.length > sweepCap
  return {
    report: strangers.filter(({ backendId, seenFor }) => seenFor >= reportedAfter && !known.has(backendId)),
    forget: reported.filter(({ spec }) => !there.has(spec.backendId)),
    remove: [...new Set([...reaped, ...(isTooMany ? [] : swept)])],
    overCap: isTooMany ? swept.length : 0,
  }
}
