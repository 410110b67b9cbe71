import { findCondition } from '@stead/engine'
import type { ResourceInfo } from '@stead/provider-kit'
import type { Instant } from '@stead/world'
import { delayedCondition, type Realised } from './model.ts'

/** What the backend has said of it in this very pass. */
export type Sighting<Info = Pick<ResourceInfo, 'state' | 'stateReason'>> =
  | { readonly type: 'unasked' }
  | { readonly type: 'found'; readonly info: Info }
  /** `surely`: for so long that no older picture explains it. */
  | { readonly type: 'missing'; readonly surely: boolean }
  /** By the tags it would carry. `surely`: for so long that nothing that was sent can still come to light. */
  | { readonly type: 'searched'; readonly ids: readonly string[]; readonly surely: boolean }

/** Everything the decision may depend on. */
export interface RealisedView {
  readonly object: Realised
  readonly region: 'active' | 'draining' | 'maintenance' | 'gone'
  /** The store was restored: nothing outside is changed until somebody says so. */
  readonly observeOnly: boolean
  /** What must be there before it can be made, in words; undefined when all of it is. */
  readonly needs: string | undefined
  /** Whether what it is made of is here. */
  readonly isPrepared: boolean
  readonly backend: Sighting
  /** Whether what was found is as the spec says, as far as that can change. */
  readonly isCurrent: boolean
  readonly now: Instant
}

export type Decision =
  | { readonly type: 'nothing' }
  /** Somebody else must do something first. */
  | { readonly type: 'hold'; readonly reason: HoldReason; readonly message: string }
  /** Asks the backend, by id or by tags, and decides again. */
  | { readonly type: 'describe' }
  | { readonly type: 'search' }
  /** Brings here what it is made of. */
  | { readonly type: 'prepare' }
  /** Writes down that it is sent, then sends it. */
  | { readonly type: 'intend' }
  /** Sends it once more, with the same token. */
  | { readonly type: 'send' }
  /** Makes what is there as the spec says. */
  | { readonly type: 'update' }
  | { readonly type: 'report'; readonly state: 'ready' | 'lost' }
  | { readonly type: 'report'; readonly state: 'failed'; readonly reason: string }
  /** It cannot work until somebody changes it. */
  | { readonly type: 'park'; readonly message: string }
  | { readonly type: 'wait'; readonly message: string }
  | { readonly type: 'remove'; readonly ids: readonly string[] }
  /** Nothing of it is left outside. */
  | { readonly type: 'forget' }

export type HoldReason = 'RegionGone' | 'Maintenance' | 'ObserveOnly' | 'Needs'

const mutating: ReadonlySet<Decision['type']> = new Set(['prepare', 'intend', 'send', 'update', 'remove'])

/** What comes next for an object that stands for something in a backend. */
export function decide(view: RealisedView): Decision {
  const { object, region, observeOnly } = view
  // What was never sent is nowhere: its end needs no region.
  if (object.deletedAt !== undefined && isNowhere(object)) return { type: 'forget' }
  if (region === 'gone') return hold('RegionGone', 'its region is not there any more')
  if (region === 'maintenance') return hold('Maintenance', 'its region is in maintenance: nothing is done there')
  const decision = object.deletedAt === undefined ? living(view) : ending(view)
  return observeOnly && mutating.has(decision.type)
    ? hold('ObserveOnly', 'nothing outside is changed until this store is resumed')
    : decision
}

function living({ object, needs, isPrepared, backend, isCurrent }: RealisedView): Decision {
  const { status, generation } = object
  const wasRefused = status.state === 'failed' && status.observedGeneration === generation
  if (status.backendId === undefined) {
    if (wasRefused) return refused(object)
    if (!isNowhere(object)) return { type: 'send' }
    if (needs !== undefined) return hold('Needs', needs)
    return { type: isPrepared ? 'intend' : 'prepare' }
  }
  if (backend.type === 'unasked') return { type: 'describe' }
  if (backend.type === 'missing') {
    if (!backend.surely) return { type: 'wait', message: 'it is not to be seen, perhaps not yet' }
    // It was there and is gone. What it held is gone with it: another one in its place would hide that.
    return status.state === 'lost' ? { type: 'nothing' } : { type: 'report', state: 'lost' }
  }
  if (backend.type !== 'found') return { type: 'describe' }
  const { info } = backend
  if (info.state === 'failed') {
    if (wasRefused) return refused(object)
    return { type: 'report', state: 'failed', reason: info.stateReason ?? 'the region says that it failed' }
  }
  const isUp = info.state === 'ready' || (info.state === 'pending' && status.state === 'ready')
  if (!isUp) return { type: 'wait', message: `it is ${info.state}` }
  if (!isCurrent) return wasRefused ? refused(object) : { type: 'update' }
  const isTold = status.state === 'ready' && status.observedGeneration === generation
  const isDelayed = findCondition(status.conditions, delayedCondition) !== undefined
  return isTold && !isDelayed ? { type: 'nothing' } : { type: 'report', state: 'ready' }
}

function ending({ object, backend, now }: RealisedView): Decision {
  const { backendId, doubtfulUntil } = object.status
  const isKnown = backendId !== undefined
  switch (backend.type) {
    case 'unasked':
      return { type: isKnown ? 'describe' : 'search' }
    case 'found':
      if (backend.info.state === 'deleting') return { type: 'wait', message: 'it is being removed' }
      return { type: 'remove', ids: [backendId!] }
    case 'missing':
      if (!backend.surely) return { type: 'wait', message: 'it is not to be seen, perhaps not yet' }
      // A create that was given up may have arrived after the one that was answered, and have made another.
      return doubtfulUntil !== undefined && now < doubtfulUntil ? { type: 'search' } : { type: 'forget' }
    case 'searched':
      if (backend.ids.length > 0) return { type: 'remove', ids: backend.ids }
      return backend.surely ? { type: 'forget' } : { type: 'wait', message: 'something sent may still come to light' }
  }
}

/** Nothing of it was ever made. */
const isNowhere = ({ status: { sent } }: Realised): boolean => sent === undefined || sent.refused === true

const hold = (reason: HoldReason, message: string): Decision => ({ type: 'hold', reason, message })

const refused = ({ status }: Realised): Decision => ({ type: 'park', message: status.reason ?? 'it cannot be made' })
