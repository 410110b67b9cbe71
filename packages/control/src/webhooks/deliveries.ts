import type { ChangeSetBuilder, StoredRecord } from '@stead/engine'
import { isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { Event } from '../events/model.ts'
import { Time } from '../resource/model.ts'
import { Type } from '../schema/type.ts'
import { typeOf } from './filter.ts'
import type { Webhook } from './model.ts'
import type { Attempt } from './send.ts'

/** One attempt to send something, and what came of it. */
export const Delivery = Type.Object(
  {
    id: Type.String({ description: 'Grows with time; of no other meaning.' }),
    at: Time,
    messageId: Type.String({ description: 'The `webhook-id` it was sent with: the same each time.' }),
    outcome: Type.Enum(['delivered', 'failed', 'dead'], {
      description: '`dead`: it failed and is not tried again by itself; see the dead letters.',
    }),
    cause: Type.Enum(['event', 'redelivery', 'test']),
    type: Type.String({ description: 'Of the event: `instance.Failed`.' }),
    event: Type.Union([Type.String(), Type.Null()], { description: 'Its id.' }),
    object: Type.Union([Event.properties.object, Type.Null()]),
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: there was no answer.' }),
    error: Type.Union([Type.String(), Type.Null()]),
    durationMs: Type.Integer({ minimum: 0 }),
    excerpt: Type.Union([Type.String(), Type.Null()], {
      description: 'How the answer begins, without what looks like a credential.',
    }),
  },
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

export const deliveriesTable = 'webhook-deliveries'

/** What is sent: an event, or a test. */
export interface Letter {
  readonly messageId: string
  readonly cause: Delivery['cause']
  readonly type: string
  readonly at: string
  readonly event: Event | undefined
}

/** The letter that tells of an event. Its id is that of one event of one store: after a restore others have its number. */
export const letterOf = (webhook: Webhook, event: Event, epoch: number, cause: Delivery['cause']): Letter => ({
  ...{ messageId: `${webhook.id}_${epoch}_${event.id}`, cause, type: typeOf(event), at: event.at, event },
})

/** What is sent of it, in the form of Standard Webhooks. */
export const bodyOf = ({ organizationId, projectId }: Webhook, { type, at, event }: Letter): string =>
  JSON.stringify({ type, timestamp: at, data: { organizationId, projectId, ...event } })

/** Notes an attempt, in the change-set that says how things are after it. */
export function recordDelivery(set: ChangeSetBuilder, webhook: Webhook, { letter, attempt, outcome }: Noted): void {
  const { messageId, cause, type, event } = letter
  const { status, error, duration, excerpt } = attempt
  const body: Omit<Delivery, 'id' | 'at'> = {
    ...{ messageId, outcome, cause, type, event: event?.id ?? null, object: event?.object ?? null },
    ...{ status, error, durationMs: Math.round(duration), excerpt },
  }
  set.record({ table: deliveriesTable, scope: webhook.projectId!, subject: webhook.id, body })
}

export interface Noted {
  readonly letter: Letter
  readonly attempt: Attempt
  readonly outcome: Delivery['outcome']
}

export const presentDelivery = ({ sequence, at, body }: StoredRecord): Delivery => ({
  id: String(sequence),
  at: isoTime(at),
  ...(body as Omit<Delivery, 'id' | 'at'>),
})
