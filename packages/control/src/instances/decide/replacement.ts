import { after, type Instant, minutes } from '@stead/world'
import type { Server } from '../../servers/model.ts'
import type { AgreedChange, Replacement } from '../model.ts'
import { isApplied, isWell, project, seen } from '../project.ts'
import type { Draft } from './draft.ts'

/** After so long a new server that is not ready is given up. */
const patience = minutes(15)

/** Begins to replace the active server, when that can be seen: its intent is written before anything is stopped for it. */
export function beginReplacement(draft: Draft, active: Server, change: AgreedChange): void {
  const { instance, region, now } = draft.view
  const found = seen(active, instance).type
  if (region !== 'open') {
    draft.trouble = { reason: 'RegionClosed', message: 'its region takes nothing new now' }
    return
  }
  if (found === 'unknown' || found === 'unmade') {
    draft.trouble = { reason: 'Unseen', message: 'it is replaced when it can be seen what is there' }
    return
  }
  const way = instance.spec.source.machine ? 'handover' : 'overlap'
  draft.set({ replacement: { generation: change.generation, way, since: now } })
  draft.tell(
    'info',
    'Replacing',
    way === 'overlap' ? 'the old one serves until the new one can' : 'the old one is stopped first',
  )
  continueReplacement(draft, active)
}

/** Goes on with a replacement: prepare, launch, wait, switch. Whatever goes wrong leaves the old server as it was. */
export function continueReplacement(draft: Draft, active: Server): void {
  const { instance } = draft.view
  const replacement = draft.status.replacement!
  const next = draft.server('next')
  if (next?.deletedAt !== undefined) return
  const deadline = after(replacement.since, patience)
  const changed = replacement.generation === instance.generation ? undefined : 'it was changed again'
  const why = changed ?? draft.view.overQuota ?? obstacle(draft, next, deadline)
  if (why !== undefined) {
    giveUp(draft, { active, next, why })
    return
  }
  draft.wakeAt(deadline, 'a replacement is given up')
  if (!next) prepare(draft, active, replacement)
  else if (isReady(draft, next)) takeOver(draft, active, next)
}

function takeOver(draft: Draft, active: Server, next: Server): void {
  draft.act({ type: 'swap', from: active, to: next })
  draft.remove(active)
  draft.set({ slots: { active: next.id }, seenUp: next.id })
  draft.unset('replacement', 'change', 'crashes')
  draft.tell('info', 'Replaced', 'the new one has taken over, and the old one goes')
}

/** Why it cannot succeed any more, if so. */
function obstacle(draft: Draft, next: Server | undefined, deadline: Instant): string | undefined {
  const { instance, now } = draft.view
  const tooLate = now >= deadline ? 'the new one was not ready in time' : undefined
  if (!next) return tooLate
  const found = seen(next, instance)
  if (found.type === 'lost' || found.type === 'refused') return `the new one: ${found.reason}`
  if (found.type === 'down' && found.why !== 'told' && found.why !== 'finished' && isApplied(next))
    return `the new one does not run: ${found.reason}`
  return tooLate
}

function prepare(draft: Draft, active: Server, { way }: Replacement): void {
  const { instance } = draft.view
  if (way === 'handover' && seen(active, instance).type !== 'down') {
    if (active.spec.power !== 'off') draft.change(active, { power: 'off' })
    return
  }
  if (draft.isWaiting()) return
  draft.act({ type: 'create', slot: 'next', power: draft.wantedPower, charge: draft.status.change?.amounts ?? {} })
}

/** Whether it may take over: it is what was asked for, and as well as anybody can tell. */
function isReady(draft: Draft, next: Server): boolean {
  const { instance } = draft.view
  if (!isApplied(next)) return false
  const found = seen(next, instance)
  if (found.type === 'down') return next.spec.power === 'off' || found.why === 'finished'
  return found.type === 'running' && next.spec.power === 'on' && isWell(project(next, instance).health, instance)
}

function giveUp(
  draft: Draft,
  { active, next, why }: { readonly active: Server; readonly next: Server | undefined; readonly why: string },
): void {
  const { change } = draft.status
  if (next) draft.remove(next)
  const power = draft.wantedPower
  if (active.spec.power !== power) draft.change(active, { power })
  draft.unset('replacement')
  if (change) draft.set({ change: { ...change, failed: true } })
  draft.trouble = { reason: 'ReplacementFailed', message: `the old one is as it was: ${why}`, ends: 'changes' }
  draft.tell('warning', 'ReplacementFailed', why)
}
