import { after, type Instant, minutes, parseDuration, seconds } from '@stead/world'
import { isSteady, type Server } from '../../servers/model.ts'
import { carriedOver } from '../agreement.ts'
import { differencesOf, tellAll } from '../differences.ts'
import { policiesOf } from '../model.ts'
import { isApplied, isRestarting, type Seen, seen } from '../project.ts'
import type { Draft } from './draft.ts'
import { follow } from './follow.ts'
import { continueReplacement } from './replacement.ts'

/** Goes on with the life of an instance that is wanted. */
export function live(draft: Draft): void {
  const { instance, region } = draft.view
  if (expires(draft)) return
  const { outdated } = draft.view
  // That nothing of it concerns the backend can be noted whatever is not to be touched there.
  const isNoted = outdated !== undefined && outdated !== 'unknown' && !outdated.isChanged
  const noted = isNoted ? draft.server('active') : undefined
  if (noted?.deletedAt === undefined && noted) draft.change(noted, { follow: 'note' })
  if (policiesOf(instance).isPaused) {
    draft.trouble = { reason: 'Paused', message: 'it is only looked at' }
    return
  }
  if (region === 'still') {
    draft.trouble = { reason: 'RegionInMaintenance', message: 'nothing is done in its region until that is over' }
    return
  }
  vacateGone(draft)
  settleCharge(draft)
  chargeDue(draft)
  const active = draft.server('active')
  if (!active) place(draft)
  else if (active.deletedAt === undefined) tend(draft, active)
}

/** Whether it ends now because its time is over. What is protected by then is left, however that came about. */
function expires(draft: Draft): boolean {
  const { instance, now } = draft.view
  const { ttl } = instance.spec
  if (ttl === undefined) return false
  const expiry = after(instance.createdAt, parseDuration(ttl)!)
  if (now < expiry) {
    draft.wakeAt(expiry, 'its time to live ends')
    return false
  }
  if (policiesOf(instance).isProtected) {
    draft.trouble = { reason: 'Protected', message: `it was to live for ${ttl}, and is protected from deletion` }
    return false
  }
  draft.tell('info', 'Expired', `it was to live for ${ttl}`)
  draft.act({ type: 'expire' })
  return true
}

/** Slots whose servers are gone are free again. */
function vacateGone(draft: Draft): void {
  for (const slot of ['next', 'active'] as const) {
    const { [slot]: server, ...slots } = draft.status.slots
    if (server === undefined || draft.server(slot)) continue
    draft.act({ type: 'vacate', slot, server })
    draft.set({ slots })
  }
}

/** Two are charged for as long as there are two. */
function settleCharge(draft: Draft): void {
  const { charged, slots } = draft.status
  if (charged === undefined || slots.next !== undefined || draft.retiring.length > 0) return
  const keep = charged === slots.active
  draft.act({ type: 'settleCharge', keep })
  draft.unset('charged', ...(keep ? (['due'] as const) : []))
}

/** What is to be smaller is charged less once it is smaller, or nothing of it is there. */
function chargeDue(draft: Draft): void {
  const { due, charged, slots, change } = draft.status
  if (due === undefined || charged !== undefined || slots.next !== undefined || draft.retiring.length > 0) return
  // What is to be replaced is charged with its successor.
  if (change?.effect === 'replace') return
  const active = draft.server('active')
  if (active && (active.deletedAt !== undefined || draft.view.outdated !== undefined || !isApplied(active))) return
  draft.act({ type: 'recharge', amounts: due })
  draft.unset('due')
}

function place(draft: Draft): void {
  if (draft.view.region !== 'open') {
    draft.trouble = { reason: 'RegionClosed', message: 'its region takes nothing new now' }
    return
  }
  if (draft.isWaiting() || !isCharged(draft)) return
  draft.act({ type: 'create', slot: 'active', power: draft.wantedPower })
  draft.unset('retry', 'restart')
}

/** What was to be charged with a successor is charged now, where it is made so because nothing was left to replace. */
function isCharged(draft: Draft): boolean {
  const { overQuota, now } = draft.view
  const { change } = draft.status
  if (change?.effect !== 'replace') return true
  if (overQuota !== undefined) {
    draft.trouble = { reason: 'QuotaExceeded', message: overQuota }
    draft.wakeAt(after(now, roomAgain), overQuota)
    return false
  }
  draft.act({ type: 'recharge', amounts: change.amounts })
  draft.unset('change', 'due')
  return true
}

/** How often it is looked whether quota has room. */
const roomAgain = seconds(30)

/** Brings the active server to what is wanted. */
function tend(draft: Draft, active: Server): void {
  const found = seen(active, draft.view.instance)
  // What is about to take over is not given up because what it replaces went sooner than it was to.
  if (found.type === 'lost' && !isSucceeded(draft)) lost(draft, active, found.reason)
  else if (found.type === 'refused') refused(draft, active, found)
  else if (draft.status.replacement) continueReplacement(draft, active)
  else {
    const { failure } = active.status
    if (failure) draft.trouble = troubleOf(failure)
    follow(draft, active)
    if (!draft.status.replacement) power(draft, active, found)
  }
}

function isSucceeded(draft: Draft): boolean {
  const next = draft.status.replacement && draft.server('next')
  return next !== undefined && next.deletedAt === undefined
}

function power(draft: Draft, active: Server, found: Seen): void {
  const { restart } = draft.status
  const wanted = draft.wantedPower
  if (active.spec.power !== wanted) draft.change(active, { power: wanted })
  if (restart) {
    draft.change(active, { restart })
    draft.unset('restart', 'crashes')
  } else if (active.spec.power === wanted && !isRestarting(active)) keepPower(draft, active, found)
}

const troubleOf = ({ code, message, retrying, since }: NonNullable<Server['status']['failure']>) => ({
  reason: code,
  message,
  ...(!retrying && { ends: 'all' as const, since }),
})

/** It was there and is gone. A new one would have a blank disk, so that is made only for who wants it. */
function lost(draft: Draft, active: Server, reason: string): void {
  draft.unset('retry')
  if (policiesOf(draft.view.instance).onServerLoss === 'fail') {
    const message = `what it ran on is gone: ${reason}. Delete it, or set onServerLoss to recreate`
    draft.trouble = { reason: 'ServerLost', message, ends: endsWithoutServer(draft) }
    return
  }
  draft.tell('warning', 'ServerLost', `what it ran on is gone, and is made anew: ${reason}`)
  if (!draft.view.operations.some(({ spec }) => spec.type === 'recreate'))
    draft.act({ type: 'begin', operation: 'recreate' })
  startOver(draft, active)
}

/** Nothing is there, and the same would be refused again: only something else, or somebody who asks for it, can help. */
function refused(draft: Draft, active: Server, { code, reason }: Extract<Seen, { type: 'refused' }>): void {
  const { outdated } = draft.view
  const isTriedAnew = draft.status.retry || (typeof outdated === 'object' && outdated.isNew)
  // What could not be adopted has no other in its place: that would be something else.
  if (isTriedAnew && !active.spec.adopted) startOver(draft, active)
  else if (outdated !== 'unknown' || !draft.isWaiting())
    draft.trouble = { reason: code, message: reason + takenHint(draft, code), ends: endsWithoutServer(draft) }
}

/** What is not there is as off as it can be. */
const endsWithoutServer = ({ wantedPower }: Draft): 'all' | 'changes' => (wantedPower === 'off' ? 'changes' : 'all')

/** It asks for the addresses that it has had, and somebody else may have them now. */
const takenHint = ({ status }: Draft, code: string): string =>
  status.kept && code === 'Conflict'
    ? `. It keeps ${status.kept.private.join(', ')}, which may be taken: with keepAddresses set to false it gets others`
    : ''

function startOver(draft: Draft, active: Server): void {
  draft.remove(active)
  const next = draft.server('next')
  if (next) draft.remove(next)
  draft.unset('replacement', 'crashes')
}

/** A death after it ran for so long has nothing to do with the one before. */
const ranWell = minutes(10)
/** From then on it is said to have failed, though it is tried again. */
export const manyDeaths = 3

/** How long after the nth deviation in a row it is mended. */
const pause = (count: number) => (count <= 1 ? seconds(0) : seconds(Math.min(300, 10 * 2 ** (count - 2))))

/** Power that changed by itself: it died, or it was started though it should be off. */
function keepPower(draft: Draft, active: Server, found: Seen): void {
  const { view, status } = draft
  const { onCrash, drift } = policiesOf(view.instance)
  const isOurs = isSteady(active)
  if (found.type === 'down' && found.why === 'died' && active.spec.power === 'on' && isOurs) {
    const deaths = countDeath(draft, active)
    draft.trouble = {
      reason: deaths.count >= manyDeaths ? 'CrashLoop' : 'Crashed',
      message: `it died: ${found.reason}`,
      ...((deaths.count >= manyDeaths || onCrash === 'stop') && { ends: 'all' as const, since: deaths.at }),
    }
    if (onCrash === 'restart') mend(draft, active, deaths)
    return
  }
  if (found.type === 'down' && found.why === 'failed') {
    draft.trouble = { reason: 'MainFailed', message: found.reason, ends: 'all' }
    return
  }
  if (found.type === 'running' && active.spec.power === 'off' && isOurs) {
    draft.drift = tellAll(differencesOf(view.instance, active))
    // Who asked for it to be off, or made it so, did not mean to ask twice.
    const isMended = drift === 'repair' || status.suspended !== null || view.operations.length > 0
    if (isMended) mend(draft, active, countDeath(draft, active))
  }
  if (found.type === 'running' && active.spec.power === 'on') idle(draft)
}

type Deaths = NonNullable<Draft['status']['crashes']>

/** Each is counted once: it is known by the restart that came before it. */
function countDeath(draft: Draft, active: Server): Deaths {
  const { now } = draft.view
  const { crashes, runningSince } = draft.status
  const death = `${active.id}/${active.spec.power}/${active.spec.restart?.sequence ?? 0}`
  if (crashes?.death === death) return crashes
  const didRun = runningSince !== undefined && now - runningSince >= ranWell
  const counted = { count: (didRun ? 0 : (crashes?.count ?? 0)) + 1, at: now, death }
  draft.set({ crashes: counted })
  const what = active.spec.power === 'on' ? 'Crashed' : 'StartedByItself'
  draft.tell('warning', what, active.status.observed?.stateReason ?? 'its power changed by itself')
  return counted
}

function mend(draft: Draft, active: Server, { at, count }: Deaths): void {
  if (isRestarting(active)) return
  const due: Instant = after(at, pause(count))
  if (draft.view.now >= due) draft.change(active, { restart: { hard: false } })
  else draft.wakeAt(due, 'it is restarted after a while')
}

/** Stops what nobody uses. */
function idle(draft: Draft): void {
  const { view, status } = draft
  const { idleStop } = view.instance.spec
  if (idleStop === undefined || status.runningSince === undefined || view.operations.length > 0) return
  const due = after(Math.max(status.runningSince, view.lastUsed ?? 0) as Instant, parseDuration(idleStop)!)
  if (view.now < due) {
    draft.wakeAt(due, 'it may have been idle for long enough')
    return
  }
  draft.tell('info', 'IdleStopped', `nobody used it for ${idleStop}`)
  draft.act({ type: 'begin', operation: 'stop' })
  draft.act({ type: 'powerOff' })
  const change = carriedOver(view.instance, draft.server('active'))
  if (change) draft.set({ change })
}
