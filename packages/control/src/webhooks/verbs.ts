import { changeSet, refOf, type Sealer, type Store } from '@stead/engine'
import { after, type Duration, hours, newId, parseDuration } from '@stead/world'
import { listQuery, listReply } from '../door/list.ts'
import { accepted, ok } from '../door/replies.ts'
import { type Reply, type Route, route } from '../door/route.ts'
import type { Services } from '../door/services.ts'
import { fail } from '../errors/index.ts'
import { appendEvent, eventsTable } from '../events/model.ts'
import { recordListSchema, recordQuery, recordsReply } from '../records/list.ts'
import { sourceOf } from '../records/read.ts'
import { concludeUpdate } from '../resource/conclude.ts'
import { secret } from '../schema/secret.ts'
import { Type } from '../schema/type.ts'
import { sealInto } from '../sealed/model.ts'
import { DeadLetter } from './dead-letter.ts'
import { Delivery, deliveriesTable, presentDelivery } from './deliveries.ts'
import { type Asked, shownFields, stateOf, Webhook, type WebhookStatus } from './model.ts'
import { newSecret, Secret, ShownSecret } from './signature.ts'

export interface WebhookVerbsOptions {
  readonly store: Pick<Store, 'records'>
  readonly sealer: Sealer
}

const at = { scope: 'project', target: { kind: Webhook.kind, param: 'webhook' } } as const
const path = (verb: string) => `/v1/projects/:project/webhooks/:webhook/${verb}`
const change = { ...at, method: 'POST', permission: 'webhooks:update' } as const
const look = { ...at, method: 'GET', permission: 'webhooks:read' } as const

/** What is done with a webhook, and what came of what it sent. */
export const webhookVerbs = ({ store, sealer }: WebhookVerbsOptions): readonly Route[] => [
  route({
    ...look,
    path: path('deliveries'),
    summary: 'List the attempts to send something to a webhook, newest first',
    query: recordQuery({
      outcome: Type.Optional(Delivery.properties.outcome),
      event: Type.Optional(Type.String({ maxLength: 20, description: 'Only of this event.' })),
    }),
    replies: { 200: recordListSchema(Delivery, 'DeliveryList') },
    handle({ target, place, query }) {
      const { outcome, event } = query
      const source = sourceOf(store, { table: deliveriesTable, scope: target.projectId!, subject: target.id })
      const isAsked = outcome !== undefined || event !== undefined
      const matches = ({ body }: { readonly body: unknown }) => {
        const each = body as Delivery
        return (outcome === undefined || each.outcome === outcome) && (event === undefined || each.event === event)
      }
      return recordsReply({ source, place, query, present: presentDelivery, ...(isAsked && { matches }) })
    },
  }),
  route({
    ...look,
    path: path('dead-letters'),
    summary: 'List the events that a webhook did not take',
    query: listQuery({}),
    replies: { 200: DeadLetter.list },
    handle: ({ target, objects, place, query }) =>
      listReply({ objects, place, query, resource: DeadLetter, only: { owner: refOf(target) } }),
  }),
  route({
    ...change,
    path: path('test'),
    summary: 'Send a test to a webhook',
    description: 'Sent once, soon, also to one that is paused. `deliveries` shows what came of it.',
    replies: { 202: Webhook.schema },
    handle: ({ target }, services) => ask(services, target, { type: 'test' }),
  }),
  route({
    ...change,
    path: path('redeliver'),
    summary: 'Send an event to a webhook again, or all of its dead letters',
    description: 'Each is tried once. A dead letter that is taken is none any more.',
    body: Type.Object(
      {
        event: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'The id of an event.' })),
        deadLetters: Type.Optional(Type.Literal(true)),
      },
      { title: 'Redelivery' },
    ),
    replies: { 202: Webhook.schema },
    async handle({ target, body: { event, deadLetters } }, services) {
      if ((event === undefined) === (deadLetters === undefined))
        throw fail('invalid', 'say either event or deadLetters: true', {
          errors: [{ path: '', message: 'must have either event or deadLetters' }],
        })
      if (event === undefined) return ask(services, target, { type: 'dead-letters' })
      const sequence = Number(event)
      const scope = { table: eventsTable, scope: target.projectId! }
      const [found] = await store.records({ ...scope, after: sequence - 1, limit: 1 })
      if (found?.sequence !== sequence) throw fail('not_found', `the project has no event ${event}`)
      return ask(services, target, { type: 'event', sequence, object: found.subject })
    },
  }),
  route({
    ...change,
    path: path('resume'),
    summary: 'Let a webhook go on that paused by itself',
    description: 'It goes on where it stopped: what happened meanwhile is sent, as far as events are kept.',
    replies: { 202: Webhook.schema },
    handle({ target, caller }, services) {
      if (stateOf(target) !== 'paused') return accepted(Webhook, target)
      const { paused: _paused, failing: _failing, ...status } = target.status
      return update(services, target, status, { reason: 'Resumed', message: `by ${caller.displayName}` })
    },
  }),
  rotation(sealer),
]

const longestOverlap = hours(24 * 30)

const rotation = (sealer: Sealer): Route =>
  route({
    ...change,
    path: path('rotate-secret'),
    summary: 'Replace the secret of a webhook',
    description: 'Until `keepFor` is over, each message is signed with both.',
    body: Type.Object(
      {
        secret: Type.Optional(secret({ ...Secret, writeOnly: true, description: 'Made by us unless given.' })),
        keepFor: Type.Optional(
          Type.String({ maxLength: 20, description: 'A duration; 24h unless said, at most 30d.' }),
        ),
      },
      { title: 'SecretRotation' },
    ),
    replies: {
      200: Type.Object({ secret: ShownSecret, ...shownFields }, { title: 'RotatedWebhook' }),
    },
    handle({ target, body, caller }, services) {
      const { world, conclude } = services
      const text = body.secret ?? newSecret(world)
      const now = world.now()
      const set = changeSet(world)
      const kept = { ...sealInto(set, sealer, refOf(target), Buffer.from(text)), since: now }
      const [current, ...older] = target.status.secrets
      for (const each of older) if (each.sealed !== kept.sealed) set.dropBlob(refOf(target), each.sealed)
      const until = after(now, overlapOf(body.keepFor))
      const isSame = current!.sealed === kept.sealed
      const secrets = isSame ? [kept] : [kept, { ...current!, until }]
      const { generation: _generation, revision, ...rest } = target
      const to = { ...rest, status: { ...target.status, secrets } }
      set.expectRevision(target, revision).puts.push(to)
      appendEvent(set, to, { reason: 'SecretRotated', message: `by ${caller.displayName}` })
      const shown = body.secret === undefined ? { secret: text } : {}
      return conclude(set, outcome => ok(Webhook, outcome.object(to), shown))
    },
  })

function overlapOf(text: string | undefined): Duration {
  const overlap = text === undefined ? hours(24) : parseDuration(text)
  if (overlap !== undefined && overlap <= longestOverlap) return overlap
  const message = 'must be a duration such as 24h, at most 30d'
  throw fail('invalid', `keepFor ${message}`, { errors: [{ path: '/keepFor', message }] })
}

/** So many wait at the most: it is for people, not for programs. */
const mostAsked = 20

type Wish =
  | { readonly type: 'test' }
  | { readonly type: 'dead-letters' }
  | Pick<Asked & { type: 'event' }, 'type' | 'sequence' | 'object'>

function ask(services: Services, target: Webhook, wish: Wish): Promise<Reply> {
  const { asked } = target.status
  if (asked.length >= mostAsked) throw fail('invalid_state', `${asked.length} deliveries wait already; wait for them`)
  const one = { id: newId(services.world, 'ask'), at: services.world.now(), ...wish } as Asked
  return update(services, target, { ...target.status, asked: [...asked, one] })
}

function update(
  services: Services,
  target: Webhook,
  status: WebhookStatus,
  event?: Parameters<typeof appendEvent>[2],
): Promise<Reply> {
  const { generation: _generation, revision: _revision, ...rest } = target
  const to = { ...rest, status }
  return concludeUpdate(services, Webhook, { from: target, to, reply: accepted }, set => {
    if (event) appendEvent(set, to, event)
  })
}
