import { type BaseStatus, clearCondition, setCondition } from '@stead/engine'
import { after, type Duration, type Instant, minutes } from '@stead/world'
import type { OpenOperation } from '../../operations/model.ts'
import { isSteady, type Server } from '../../servers/model.ts'
import { differencesOf, tellAll } from '../differences.ts'
import { keptAddresses } from '../kept-addresses.ts'
import { currentStep, isOfPower, movesNothing } from '../operations.ts'
import { isWell, phaseBy, project, seen } from '../project.ts'
import { advance, isTransient, type Phase } from '../transitions.ts'
import type { Draft } from './draft.ts'
import { tellHealth } from './health.ts'
import { manyDeaths } from './life.ts'

/** Writes into the status what the decision leads to, and says what became of operations. */
export function conclude(draft: Draft): void {
  const { instance, now, outdated } = draft.view
  const active = draft.upcoming
  if (active && ['running', 'stopping', 'down'].includes(seen(active, instance).type)) draft.set({ seenUp: active.id })
  draft.set(project(active, instance))
  keepAddresses(draft, active)
  const isStill = rests(draft, active)
  if (isStill && outdated === undefined) {
    draft.set({ observedGeneration: instance.generation })
    draft.unset('change', 'retry')
  }
  const phase = wantedPhase(draft, active)
  movePhase(draft, phase)
  const isThere = isStill && draft.status.phase === phase
  endOperations(draft, isThere)
  draft.set({ ready: isThere && outdated === undefined && phase === 'running' && draft.status.operation === null })
  if (draft.status.phase !== phase) draft.wakeAt(now, 'it goes on')
  setConditions(draft, active)
  tellHealth(draft)
}

/** Remembers the addresses that it is to keep, and shows them though nothing runs that has them. */
function keepAddresses(draft: Draft, active: Server | undefined): void {
  const { instance } = draft.view
  const kept = keptAddresses(instance, active)
  if (kept !== draft.status.kept) kept ? draft.set({ kept }) : draft.unset('kept')
  const isThere = active?.deletedAt === undefined && active?.status.observed && !active.status.lost
  if (kept && isThere && draft.status.addresses.private.length === 0)
    draft.set({ addresses: { private: [...kept.private], public: [...kept.public] } })
}

/** Whether nothing more is going to happen, and its power is as wanted. */
function rests(draft: Draft, active: Server | undefined): boolean {
  const { instance } = draft.view
  const { status } = draft
  if (instance.deletedAt !== undefined || !active || active.deletedAt !== undefined) return false
  if (!draft.isQuiet || status.restart || status.retry || status.charged !== undefined) return false
  if (status.replacement || status.slots.next !== undefined || draft.retiring.length > 0) return false
  const found = seen(active, instance)
  const power = draft.wantedPower
  // What was refused for good is as off as it can be.
  if (power === 'off' && (found.type === 'refused' || found.type === 'lost')) return true
  if (active.spec.power !== power || !isSteady(active)) return false
  if (found.type === 'down') return power === 'off' || found.why === 'finished'
  return power === 'on' && found.type === 'running' && isWell(status.health, instance)
}

function wantedPhase(draft: Draft, active: Server | undefined): Phase {
  const { instance, region } = draft.view
  const { phase, replacement, crashes } = draft.status
  if (instance.deletedAt !== undefined) return 'destroying'
  if (!active) return phase === 'pending' && (region !== 'open' || draft.isQuiet) ? 'pending' : 'provisioning'
  if (active.deletedAt !== undefined) return 'provisioning'
  const found = seen(active, instance)
  if (replacement?.way === 'handover' && found.type === 'down') return 'provisioning'
  const isDead = found.type === 'down' && found.why === 'died' && active.spec.power === 'on'
  if (isDead && (crashes?.count ?? 0) >= manyDeaths) return 'failed'
  return phaseBy(active, { ...instance, status: draft.status })
}

function movePhase(draft: Draft, wanted: Phase): void {
  const { now } = draft.view
  const { phase, runningSince } = draft.status
  const next = advance(phase, wanted)
  if (next === phase) return
  draft.set({ phase: next, phaseSince: now })
  if (next === 'running') draft.set({ runningSince: now })
  else if (runningSince !== undefined && next !== 'starting' && next !== 'stopping') draft.unset('runningSince')
  const { trouble } = draft
  const because = trouble ? `${trouble.reason}: ${trouble.message}` : `it was ${phase}`
  draft.tell(next === 'failed' ? 'warning' : 'info', eventOf[next], because)
}

/** How a change of phase is told. */
const eventOf: Readonly<Record<Phase, string>> = {
  pending: 'Pending',
  provisioning: 'Provisioning',
  starting: 'Starting',
  running: 'Running',
  stopping: 'Stopping',
  stopped: 'Stopped',
  failed: 'Failed',
  destroying: 'Destroying',
  destroyed: 'Destroyed',
}

function endOperations(draft: Draft, isThere: boolean): void {
  const { operations, instance } = draft.view
  const left = operations.filter(operation => {
    const { spec } = operation
    if (instance.deletedAt !== undefined) return spec.type === 'delete'
    const error = errorOf(draft, operation)
    const isOver = isDone(draft, spec, isThere)
    if (error) draft.act({ type: 'end', operation, state: 'failed', error })
    else if (isOver) draft.act({ type: 'end', operation, state: 'succeeded' })
    return !error && !isOver
  })
  for (const operation of left) {
    const step = currentStep(operation.spec.type, draft)
    const message = draft.trouble?.message ?? progressOf(draft)
    const running = operation.status.steps.find(({ state }) => state === 'running')
    if (running?.name !== step || running.message !== message)
      draft.act({ type: 'step', operation, step, ...(message !== undefined && { message }) })
  }
  const shown = left.at(-1)
  draft.set({ operation: shown ? operationShown(draft, shown) : null })
}

function isDone(draft: Draft, spec: OpenOperation['spec'], isThere: boolean): boolean {
  if (spec.type === 'adopt') return isAdopted(draft)
  // What moves nothing does not wait for what will not come.
  if (movesNothing(spec) && draft.trouble?.ends) return true
  // Power can be as wanted though a change was given up.
  return isThere && (draft.view.outdated === undefined || isOfPower(spec))
}

/** How far the region says that it is with what it makes: what it pulls, for one. */
function progressOf(draft: Draft): string | undefined {
  const { observed } = (draft.server('next') ?? draft.server('active'))?.status ?? {}
  return observed?.state === 'pending' ? observed.stateReason : undefined
}

/** It is ours, however it fares. */
function isAdopted(draft: Draft): boolean {
  const active = draft.server('active')
  return active !== undefined && !active.status.adopting && !active.status.lost
}

function errorOf({ trouble, view }: Draft, { createdAt, spec }: OpenOperation) {
  if (!trouble?.ends || view.instance.deletedAt !== undefined || movesNothing(spec)) return undefined
  if (trouble.ends === 'changes' && isOfPower(spec)) return undefined
  if (trouble.since !== undefined && trouble.since < createdAt) return undefined
  return { code: trouble.reason, message: trouble.message }
}

const operationShown = (draft: Draft, { id, spec, createdAt }: OpenOperation) => ({
  id,
  type: spec.type,
  step: currentStep(spec.type, draft),
  startedAt: createdAt,
})

/** How long it may take to get out of a phase before that is said. */
export const stuckAfter: Readonly<Partial<Record<Phase, Duration>>> = {
  pending: minutes(5),
  provisioning: minutes(15),
  starting: minutes(10),
  stopping: minutes(10),
  destroying: minutes(15),
}

/** An operation that takes longer than this is stuck, whatever the phase. */
const longOperation = minutes(20)

/** Newer versions of secrets that it is not given: because nobody asked for that, or because nothing is done to it now. */
function outdatedSecrets({ view, isQuiet }: Draft) {
  const { stale = [], rotated = [] } = view.secrets ?? {}
  const names = [...stale, ...(isQuiet ? rotated : [])]
  if (names.length === 0) return undefined
  const message = `it runs with an older version of ${names.join(', ')}; what is launched next has the newest`
  return { reason: 'NewerVersion', message }
}

function setConditions(draft: Draft, active: Server | undefined): void {
  const { now } = draft.view
  const before = draft.view.instance.status.conditions
  let conditions: BaseStatus['conditions'] = before
  const put = (type: string, found: { readonly reason: string; readonly message: string } | undefined) => {
    conditions = found
      ? setCondition(conditions, { type, status: 'true', reason: found.reason, message: found.message }, now)
      : clearCondition(conditions, type)
  }
  put('Trouble', draft.trouble)
  const drift = draft.drift ?? (active && contentDrift(draft, active))
  put('Drift', drift === undefined ? undefined : { reason: 'Drifted', message: drift })
  put('SecretsOutdated', outdatedSecrets(draft))
  const stuck = stuckReason(draft)
  const wasStuck = before?.some(({ type }) => type === 'Stuck') ?? false
  if (stuck && !wasStuck) draft.tell('warning', 'Stuck', stuck.message)
  put('Stuck', stuck)
  if (conditions !== before) draft.set({ conditions: conditions ?? [] })
}

/** What is there is not what was asked for. Setting that right may destroy something, so it is only told. */
function contentDrift({ view }: Draft, active: Server): string | undefined {
  if (view.outdated !== undefined) return undefined
  const found = differencesOf(view.instance, active).filter(({ field }) => field !== 'power' && field !== 'server')
  return found.length > 0 ? tellAll(found) : undefined
}

function stuckReason(draft: Draft) {
  const { now, operations } = draft.view
  const { phase, phaseSince, operation } = draft.status
  const limit = isTransient(phase) ? stuckAfter[phase] : undefined
  const oldest = operation ? operations[0] : undefined
  const phaseEnds = limit && after(phaseSince, limit)
  const operationEnds = oldest && after(oldest.createdAt, longOperation)
  const due = Math.min(phaseEnds ?? Number.POSITIVE_INFINITY, operationEnds ?? Number.POSITIVE_INFINITY)
  if (!Number.isFinite(due)) return undefined
  if (now < due) {
    draft.wakeAt(due as Instant, 'it may be stuck')
    return undefined
  }
  const what =
    due === phaseEnds ? `it has been ${phase} for too long` : `the operation ${oldest!.spec.type} takes too long`
  const why = draft.trouble ? `: ${draft.trouble.message}` : ''
  return { reason: 'Stuck', message: what + why }
}
