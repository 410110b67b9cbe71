import {
  again,
  type Controller,
  changeSet,
  clearCondition,
  controller,
  done,
  type ReconcileContext,
  type Result,
  setCondition,
  type View,
  type Wake,
} from '@stead/engine'
import { millis } from '@stead/world'
import { appendEvent } from '../events/model.ts'
import { serveAsked } from './asked.ts'
import { createDeadLetter, deadLettersOf, mostDeadLetters } from './dead-letter.ts'
import {
  type Happening,
  type LaneResult,
  nextAttempt,
  planRound,
  type Round,
  type Settlement,
  settle,
} from './decide.ts'
import { letterOf, type Noted, recordDelivery } from './deliveries.ts'
import { type Progress, stateOf, Webhook, type WebhookStatus } from './model.ts'
import { fewAtOnce, openPost, type PostOffice } from './post.ts'
import { gather } from './read.ts'
import type { Attempt } from './send.ts'

/** They mostly wait for receivers, and some of those never answer. */
const concurrency = 64
/** What was looked at and not asked for is noted after so many: a restart looks at it again, and until then nothing is written. */
const mostUnnoted = 1_000
const notTaking = 'NotTaking'
/** In a row, before it is said: a receiver that is started anew is no news. */
const toldAfter = 5

/** What the controller is made of. A simulation exchanges some of it, to see whether that is noticed. */
export interface WebhookParts {
  readonly planRound: typeof planRound
  readonly settle: typeof settle
}

/** How far a webhook has been looked at beyond what is noted. */
type Seen = Map<string, { readonly noted: number; readonly cursor: number }>

interface Desk extends PostOffice {
  readonly seen: Seen
  readonly parts: WebhookParts
}

/** Sends events to webhooks: each at least once, those of one object in their order, whoever else does not take theirs. */
export function webhookController(
  office: PostOffice,
  /** What is told of in projects: its changes come with events. */
  kinds: readonly string[],
  parts: Partial<WebhookParts> = {},
): Controller {
  const desk: Desk = { ...office, seen: new Map(), parts: { planRound, settle, ...parts } }
  return controller<Webhook>({
    name: 'webhooks',
    kind: Webhook.kind,
    concurrency,
    parkedCondition: 'Held',
    wakes: kinds.map(kind => (kind === Webhook.kind ? wakeOthers : wakeBy(kind))),
    reconcile: ({ id }, context) => work(desk, id, context),
    forgotten: ({ id }) => void desk.seen.delete(id),
  })
}

/** All webhooks of a project. */
const webhooksOf = (cache: View, projectId: string | undefined): readonly string[] =>
  projectId === undefined
    ? []
    : cache
        .within({ project: projectId })
        .list({ kind: Webhook.kind })
        .items.map(({ id }) => id)

const wakeBy = (kind: string): Wake => ({
  kind,
  keys: ({ object }, { cache }) => webhooksOf(cache, object.projectId),
})

/** What is told of a webhook is for the others. Not each of its deliveries: with fifty of them everyone would look for every one. */
const wakeOthers: Wake = {
  kind: Webhook.kind,
  keys({ op, object, previous }, { cache }) {
    const isTold = op === 'remove' || !previous || toldOf(object as Webhook) !== toldOf(previous as Webhook)
    return isTold ? webhooksOf(cache, object.projectId).filter(id => id !== object.id) : []
  },
}

/** Of everything that events tell of a webhook: another one when there was one. */
const toldOf = ({ generation, labels, displayName, deletedAt, status }: Webhook): string =>
  JSON.stringify([
    ...[generation, labels, displayName, deletedAt, status.paused?.at, status.secrets[0]?.since],
    (status.failing?.attempts ?? 0) >= toldAfter,
  ])

async function work(desk: Desk, id: string, context: ReconcileContext): Promise<Result> {
  const { cache, world } = context
  const webhook = cache.get<Webhook>(Webhook.kind, id)
  if (!webhook || webhook.deletedAt !== undefined) return done
  if (webhook.status.asked.length > 0) return serveAsked(desk, webhook, context)
  const state = stateOf(webhook)
  if (state === 'inactive' || state === 'paused') return done
  const progress = progressOf(desk.seen, webhook)
  const now = world.now()
  if (progress.failing && progress.failing.next > now)
    return again(millis(progress.failing.next - now), 'nothing is taken')
  const round = desk.parts.planRound(await gather(desk.store, webhook, { progress, now }))
  if (round.lanes.length === 0 && round.through === progress.cursor && !progress.failing) return rest(progress, now)
  if (round.lanes.length === 0 && !isWorthNoting(webhook, round)) {
    desk.seen.set(id, { noted: webhook.status.cursor, cursor: round.through })
    return again(millis(0), 'there may be more')
  }
  const noted: Noted[] = []
  const post = await openPost(desk, webhook, context)
  const letter = ({ event }: Happening) => letterOf(webhook, event, desk.store.identity.epoch, 'event')
  const sendLane = async (events: readonly Happening[]): Promise<LaneResult> => {
    for (const [delivered, each] of events.entries()) {
      const attempt = await post(letter(each))
      noted.push({ letter: letter(each), attempt, outcome: attempt.delivered ? 'delivered' : 'failed' })
      if (!attempt.delivered) return { delivered, failed: attempt }
    }
    return { delivered: events.length }
  }
  const results = await fewAtOnce(round.lanes, ({ events }) => sendLane(events))
  const settlement = desk.parts.settle(progress, round, results, { now: world.now(), random: () => world.random() })
  await note(desk, webhook, { settlement, noted }, context)
  return again(millis(0), 'there may be more')
}

function rest(progress: Progress, now: number): Result {
  const next = nextAttempt(progress)
  return next === undefined ? done : again(millis(Math.max(0, next - now)), 'something was not taken')
}

const isWorthNoting = ({ status }: Webhook, { through }: Round): boolean =>
  status.failing !== undefined || through - status.cursor >= mostUnnoted

/** How far it is: what was looked at here counts only on top of what was noted then. */
function progressOf(seen: Seen, { id, status, generation }: Webhook): Progress {
  const { cursor: noted, held, failing, paused } = status
  const here = seen.get(id)
  const cursor = here?.noted === noted ? here.cursor : noted
  // One that goes on after it had given up begins with new patience.
  return { cursor, held, ...(failing && (!paused || paused.generation === generation) && { failing }) }
}

interface Done {
  readonly settlement: Settlement
  readonly noted: readonly Noted[]
}

/** Writes down how far it is, and what was done for it. */
async function note(
  { measure }: Desk,
  webhook: Webhook,
  { settlement, noted }: Done,
  { world, cache, commit }: ReconcileContext,
): Promise<void> {
  const { progress, dead } = settlement
  const now = world.now()
  const { failing: _failing, paused: _paused, conditions: before, ...kept } = webhook.status
  const last = noted.findLast(({ attempt }) => !attempt.delivered)?.attempt
  const stop = settlement.givesUp
    ? { reason: 'NothingTaken', message: `nothing was taken for a day; at last: ${last!.error}` }
    : (gone(noted) ?? tooManyDead(deadLettersOf(cache, webhook).length + dead.length))
  const trouble = stop ?? (progress.failing && { reason: 'Failing', message: describe(last, progress) })
  const conditions = trouble
    ? setCondition(before, { type: notTaking, status: 'true', ...trouble }, now)
    : clearCondition(before, notTaking)
  const status: WebhookStatus = {
    ...{ ...kept, ...progress },
    ...((before || conditions.length > 0) && { conditions }),
    ...(stop && { paused: { at: now, reason: stop.reason, generation: webhook.generation } }),
  }
  const set = changeSet(world).update(webhook, { status })
  const deadIds = new Set(dead.map(({ event }) => event.id))
  for (const each of noted)
    recordDelivery(set, webhook, deadIds.has(each.letter.event!.id) ? { ...each, outcome: 'dead' } : each)
  for (const each of dead) createDeadLetter(set, webhook, each, now)
  tell(set, { ...webhook, status }, { stop, failedBefore: webhook.status.failing?.attempts ?? 0, last })
  await commit(set)
  measure.dead.add(dead.length)
}

const describe = (last: Attempt | undefined, { failing }: Progress) =>
  `nothing is taken since ${failing!.attempts} attempts; at last: ${last?.error ?? 'no answer'}`

/** What a receiver says that wants nothing more, ever. */
const gone = (noted: readonly Noted[]) =>
  noted.some(({ attempt }) => attempt.status === 410)
    ? { reason: 'ReceiverGone', message: 'the receiver answered with 410: it wants nothing more' }
    : undefined

const tooManyDead = (count: number) =>
  count > mostDeadLetters
    ? { reason: 'TooManyDeadLetters', message: `more than ${mostDeadLetters} events were not taken` }
    : undefined

interface News {
  readonly stop: { readonly reason: string; readonly message: string } | undefined
  readonly failedBefore: number
  readonly last: Attempt | undefined
}

function tell(set: ReturnType<typeof changeSet>, webhook: Webhook, { stop, failedBefore, last }: News): void {
  const attempts = webhook.status.failing?.attempts ?? 0
  const level = 'warning'
  if (stop) appendEvent(set, webhook, { level, reason: 'Paused', message: stop.message })
  else if (attempts === toldAfter)
    appendEvent(set, webhook, { level, reason: 'Failing', message: last?.error ?? 'no answer' })
  else if (attempts === 0 && failedBefore >= toldAfter)
    appendEvent(set, webhook, { reason: 'Recovered', message: 'events are taken again' })
}
