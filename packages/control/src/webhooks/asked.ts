import { again, type ChangeSetBuilder, changeSet, type ReconcileContext, type Result } from '@stead/engine'
import { instant, isoTime, millis } from '@stead/world'
import { type DeadLetter, deadLetterOf, deadLettersOf } from './dead-letter.ts'
import { type Letter, letterOf, recordDelivery } from './deliveries.ts'
import type { Asked, Webhook } from './model.ts'
import { fewAtOnce, openPost, type Post, type PostOffice } from './post.ts'
import { eventAt } from './read.ts'
import type { Attempt } from './send.ts'

/** Of many dead letters, so many before it is noted. */
const deadAtOnce = 50

/** Sends what somebody asked for: once, whatever comes of it. It may overtake what happens meanwhile. */
export async function serveAsked(office: PostOffice, webhook: Webhook, context: ReconcileContext): Promise<Result> {
  const [asked, ...others] = webhook.status.asked as [Asked, ...Asked[]]
  const { world, cache, commit } = context
  const post = await openPost(office, webhook, context)
  const set = changeSet(world)
  const sending = { office, webhook, set, post }
  const isOver = await (asked.type === 'dead-letters'
    ? sendDead(sending, context, asked)
    : sendOne(sending, asked, asked.type === 'event' ? deadLetterOf(cache, webhook.id, asked.sequence) : undefined))
  const status = { ...webhook.status, asked: isOver ? others : webhook.status.asked }
  await commit(isOver ? set.update(webhook, { status }) : set.expectRevision(webhook, webhook.revision))
  return again(millis(0), 'there may be more')
}

interface Sending {
  readonly office: PostOffice
  readonly webhook: Webhook
  readonly set: ChangeSetBuilder
  readonly post: Post
}

async function sendOne(
  { office: { store }, webhook, set, post }: Sending,
  asked: Exclude<Asked, { type: 'dead-letters' }>,
  dead: DeadLetter | undefined,
): Promise<true> {
  const letter = asked.type === 'test' ? testLetter(webhook, asked) : await redelivery(store, webhook, asked)
  // Events are kept for a while only: what is gone cannot be sent.
  if (!letter) return true
  const attempt = await post(letter)
  recordDelivery(set, webhook, { letter, attempt, outcome: attempt.delivered ? 'delivered' : 'failed' })
  if (attempt.delivered && dead) set.remove(dead)
  return true
}

/** Some of those that have not been tried since it was asked for, each object's in order; answers whether there are no more. */
async function sendDead(
  { office: { store }, webhook, set, post }: Sending,
  { cache, world }: ReconcileContext,
  { at }: Asked,
): Promise<boolean> {
  const due = deadLettersOf(cache, webhook)
    .filter(({ createdAt, status }) => createdAt <= at && (status.triedAt ?? 0) < at)
    .toSorted((a, b) => a.spec.sequence - b.spec.sequence)
    .slice(0, deadAtOnce)
  const lanes = [...Map.groupBy(due, ({ spec }) => spec.object.id).values()]
  await fewAtOnce(lanes, async letters => {
    let isTaken = true
    for (const dead of letters) {
      const { sequence, object } = dead.spec
      const letter = await redelivery(store, webhook, { sequence, object: object.id })
      const attempt: Attempt | undefined = letter && isTaken ? await post(letter) : undefined
      if (attempt)
        recordDelivery(set, webhook, { letter: letter!, attempt, outcome: attempt.delivered ? 'delivered' : 'failed' })
      // What comes after one that was not taken would come out of order.
      isTaken &&= attempt?.delivered ?? true
      if (!letter || attempt?.delivered) set.remove(dead)
      // Not before it was asked for, whatever the clocks of two nodes say: it would be tried without end.
      else set.update(dead, { status: { ...dead.status, triedAt: instant(Math.max(at, world.now())) } })
    }
  })
  return due.length < deadAtOnce
}

const testLetter = ({ id }: Webhook, asked: Asked): Letter => ({
  ...{ messageId: `${id}_test_${asked.id}`, cause: 'test', type: 'webhook.Test', event: undefined },
  at: isoTime(asked.at),
})

async function redelivery(
  store: PostOffice['store'],
  webhook: Webhook,
  which: { readonly sequence: number; readonly object: string },
): Promise<Letter | undefined> {
  const found = await eventAt(store, webhook, which)
  return found && letterOf(webhook, found.event, store.identity.epoch, 'redelivery')
}
