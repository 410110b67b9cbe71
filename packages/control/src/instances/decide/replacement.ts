import { after, type Instant, minutes } from '@stead/world'
import { isSteady, type Server } from '../../servers/model.ts'
import { hasAddresses, holds } from '../kept-addresses.ts'
import type { AgreedChange, Instance, KeptAddresses, Replacement } from '../model.ts'
import { isApplied, isRestarting, isWell, project, seen } from '../project.ts'
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
  const addresses = handedOver(instance, active)
  draft.set({ replacement: { generation: change.generation, way, since: now, ...(addresses && { addresses }) } })
  draft.tell('info', 'Replacing', wayInWords(way, addresses))
  continueReplacement(draft, active)
}

/** The addresses that go from the old one to the new one. */
const handedOver = ({ spec, status }: Instance, active: Server): KeptAddresses | undefined =>
  spec.source.machine?.keepAddresses && holds(active) ? status.kept : undefined

function wayInWords(way: Replacement['way'], addresses: KeptAddresses | undefined): string {
  if (way === 'overlap') return 'the old one serves until the new one can'
  return addresses
    ? `the old one is stopped first, and the new one has its addresses: ${list(addresses)}`
    : 'the old one is stopped first'
}

const list = ({ private: own, public: outside }: KeptAddresses): string => [...own, ...outside].join(', ')

/** Goes on with a replacement: prepare, launch, wait, switch. Whatever goes wrong leaves the old server as it was. */
export function continueReplacement(draft: Draft, active: Server): void {
  const { instance, now } = draft.view
  const replacement = draft.status.replacement!
  const next = draft.server('next')
  if (replacement.givenUp !== undefined) {
    retreat(draft, { active, next, why: replacement.givenUp })
    return
  }
  if (next?.deletedAt !== undefined) return
  const deadline = after(replacement.since, patience)
  const changed = replacement.generation === instance.generation ? undefined : 'it was changed again'
  const why = changed ?? draft.view.overQuota ?? (next && obstacle(draft, next))
  if (why !== undefined) giveUp(draft, { active, next, why })
  // However late: for a while there may have been nobody to see it.
  else if (next && isReady(draft, next)) takeOver(draft, active, next)
  else if (isTooLate(draft, { active, next, deadline }))
    giveUp(draft, { active, next, why: 'the new one was not ready in time' })
  else {
    if (now < deadline) draft.wakeAt(deadline, 'a replacement is given up')
    if (!next) prepare(draft, active, replacement)
  }
}

/** A successor is all there is where the old one is gone: there is nothing to go back to. */
function isTooLate({ view }: Draft, { active, next, deadline }: Late): boolean {
  return view.now >= deadline && (!next || seen(active, view.instance).type !== 'lost')
}

interface Late {
  readonly active: Server
  readonly next: Server | undefined
  readonly deadline: Instant
}

function takeOver(draft: Draft, active: Server, next: Server): void {
  draft.act({ type: 'swap', from: active, to: next })
  draft.remove(active)
  draft.set({ slots: { active: next.id }, seenUp: next.id })
  draft.unset('replacement', 'change', 'crashes')
  draft.tell('info', 'Replaced', 'the new one has taken over, and the old one goes')
}

/** Why it cannot succeed any more, if so. */
function obstacle(draft: Draft, next: Server): string | undefined {
  const { instance } = draft.view
  const found = seen(next, instance)
  if (found.type === 'lost' || found.type === 'refused') return `the new one: ${found.reason}`
  if (found.type === 'down' && found.why !== 'told' && found.why !== 'finished' && isApplied(next))
    return `the new one does not run: ${found.reason}`
  return strangeAddresses(draft, next)
}

/** A backend that breaks its promise is found out before the old one goes. */
function strangeAddresses(draft: Draft, next: Server): string | undefined {
  const { addresses } = draft.status.replacement!
  const { observed } = next.status
  if (!addresses || !observed || hasAddresses(observed, wanted(draft, addresses)) !== 'others') return undefined
  return `the new one has other addresses: ${list(observed.addresses)}`
}

/** A public one that is no longer asked for is not missed. */
const wanted = ({ view }: Draft, addresses: KeptAddresses): KeptAddresses =>
  view.instance.spec.source.machine?.publicIp ? addresses : { ...addresses, public: [] }

function prepare(draft: Draft, active: Server, { way }: Replacement): void {
  if (way === 'handover' && active.spec.power !== 'off') {
    draft.change(active, { power: 'off' })
    return
  }
  if ((way === 'handover' && !isDown(draft, active)) || draft.isWaiting()) return
  draft.act({ type: 'create', slot: 'next', power: draft.wantedPower, charge: draft.status.change?.amounts ?? {} })
}

/** Whether it stays down. One that has died, and is to be started again, does not: there would be two of it. */
function isDown({ view }: Draft, active: Server): boolean {
  const { applied, powering } = active.status
  const isTold = applied?.power === 'off' && powering === undefined && !isRestarting(active)
  return isTold && seen(active, view.instance).type === 'down'
}

/** Whether it may take over: it is what was asked for, and as well as anybody can tell. */
function isReady(draft: Draft, next: Server): boolean {
  const { instance } = draft.view
  if (!isApplied(next)) return false
  const found = seen(next, instance)
  if (found.type === 'down') return next.spec.power === 'off' || found.why === 'finished'
  if (found.type !== 'running' || next.spec.power !== 'on') return false
  const { addresses } = draft.status.replacement!
  const hasThem = !addresses || hasAddresses(next.status.observed!, wanted(draft, addresses)) === 'these'
  return hasThem && isWell(project(next, instance).health, instance)
}

interface Failed {
  readonly active: Server
  readonly next: Server | undefined
  readonly why: string
}

function giveUp(draft: Draft, { active, next, why }: Failed): void {
  const replacement = draft.status.replacement!
  draft.tell('warning', 'ReplacementFailed', why)
  if (next) draft.remove(next)
  if (next && replacement.addresses) {
    draft.set({ replacement: { ...replacement, givenUp: why } })
    draft.trouble = goingBack(why)
    return
  }
  const power = draft.wantedPower
  if (active.spec.power !== power) draft.change(active, { power })
  endInFailure(draft, `the old one is as it was: ${why}`)
}

const goingBack = (why: string) => ({
  reason: 'ReplacementFailed',
  message: `the new one goes, and then the old one is started again with its addresses: ${why}`,
})

/** Starts the old one again with its addresses, once nothing else can have them. */
function retreat(draft: Draft, { active, next, why }: Failed): void {
  draft.trouble = goingBack(why)
  if (next) {
    draft.remove(next)
    return
  }
  const power = draft.wantedPower
  const { failure } = active.status
  if (active.spec.power !== power) draft.change(active, { power })
  else if (isSteady(active)) endInFailure(draft, `the old one is as it was, with its addresses: ${why}`)
  else if (failure && !failure.retrying)
    endInFailure(draft, `${why}; and the old one cannot be started: ${failure.message}`)
}

function endInFailure(draft: Draft, message: string): void {
  const { change } = draft.status
  draft.unset('replacement')
  if (change) draft.set({ change: { ...change, failed: true } })
  draft.trouble = { reason: 'ReplacementFailed', message, ends: 'changes' }
}
