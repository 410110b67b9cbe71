import type { StoredObject } from '@stead/engine'
import { type Instant, isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { writeSchema } from '../resource/bodies.ts'
import { Condition, Labels, resourceSchema, Time } from '../resource/model.ts'
import { type Resource, resource } from '../resource/resource.ts'
import { secret } from '../schema/secret.ts'
import { Type } from '../schema/type.ts'
import type { SealedContent } from '../sealed/model.ts'
import type { EndingStatus } from '../teardown/model.ts'
import { Secret } from './signature.ts'

const texts = (pattern: string, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern, maxLength: 128 }), {
      ...{ minItems: 1, maxItems: 50, uniqueItems: true, description },
    }),
  )

/** Which of a project's events are sent. What it does not name, it does not ask for. */
export const EventFilter = Type.Object({
  types: texts(
    '^(\\*|[a-z][a-z-]*)\\.(\\*|[A-Z][A-Za-z0-9]*)$',
    'Kind and reason, each of which may be `*`: `instance.Failed`, `instance.*`, `*.Created`.',
  ),
  kinds: texts('^[a-z][a-z-]*$', 'Of objects of these kinds: `instance`, `network`.'),
  labels: Type.Optional({ ...Labels, description: 'Of objects that have all of these labels.' }),
  phases: texts('^[a-z][A-Za-z-]*$', 'Of objects that were then in one of these phases, or states: `failed`.'),
})
export type EventFilter = Static<typeof EventFilter>

const fields = {
  url: Type.String({ minLength: 1, maxLength: 2_048, description: 'Where events are sent, by POST. http or https.' }),
  events: Type.Optional({ ...EventFilter, description: 'Which events; all of them unless said.' }),
  active: Type.Optional(
    Type.Boolean({ default: true, description: 'While false nothing is sent. What happens meanwhile is sent later.' }),
  ),
}

/** Where the events of a project are sent. */
export const WebhookSpec = Type.Object(fields)
export type WebhookSpec = Static<typeof WebhookSpec>

/** How one is sent: with the secret in the open, once. */
export const WebhookWriteSpec = Type.Object({
  ...fields,
  secret: Type.Optional(
    secret({ ...Secret, writeOnly: true, description: 'What signs. Made by us, and shown once, unless given.' }),
  ),
})

/** What signs: sealed, never shown. */
export interface KeptSecret extends SealedContent {
  readonly since: Instant
  /** It was replaced, and still signs beside its successor until then. */
  readonly until?: Instant
}

/** What does not go on because an event was not taken. */
export interface Failing {
  readonly attempts: number
  readonly since: Instant
  /** When it is tried again. */
  readonly next: Instant
}

/** An object whose events wait, from this one on. */
export interface Held extends Failing {
  readonly object: string
  readonly sequence: number
}

/** Something to be sent once, outside the order of things, because somebody asked for it. */
export type Asked = { readonly id: string; readonly at: Instant } & (
  | { readonly type: 'test' }
  | { readonly type: 'event'; readonly sequence: number; readonly object: string }
  | { readonly type: 'dead-letters' }
)

/** How far the project's events have been sent. */
export interface Progress {
  /** Everything up to this event is settled, but for what `held` tells of. */
  readonly cursor: number
  readonly held: readonly Held[]
  /** Nothing at all is taken. */
  readonly failing?: Failing
}

export interface WebhookStatus extends EndingStatus, Progress {
  /** The newest first. */
  readonly secrets: readonly KeptSecret[]
  /** It stopped by itself. A change of its spec, or `resume`, lets it go on. */
  readonly paused?: { readonly at: Instant; readonly reason: string; readonly generation: number }
  readonly asked: readonly Asked[]
}

const ShownStatus = Type.Object({
  state: Type.Enum(['active', 'failing', 'paused', 'inactive'], {
    description: '`failing`: nothing is taken at present. `paused`: it gave up by itself, and waits to be resumed.',
  }),
  failingSince: Type.Optional(Time),
  attempts: Type.Optional(Type.Integer({ description: 'Made in vain since then.' })),
  nextAttemptAt: Type.Optional(Time),
  waitingObjects: Type.Integer({ description: 'Objects whose events wait because one of them was not taken.' }),
  secretSince: Time,
  previousSecretUntil: Type.Optional({ ...Time, description: 'Until then the secret before it signs too.' }),
  conditions: Type.Optional(Type.Array(Condition)),
})

export type Webhook = StoredObject<WebhookSpec, WebhookStatus>

export const Webhook: Resource<typeof WebhookSpec, WebhookStatus> = resource(
  'webhook',
  'whk',
  WebhookSpec,
  ShownStatus,
  {
    show: ({ spec, status, generation }) => {
      const { failing, held, secrets, conditions } = status
      return {
        spec,
        status: {
          state: stateOf({ spec, status, generation }),
          ...(failing && {
            failingSince: isoTime(failing.since),
            attempts: failing.attempts,
            nextAttemptAt: isoTime(failing.next),
          }),
          waitingObjects: held.length,
          secretSince: isoTime(secrets[0]!.since),
          ...(secrets[1]?.until !== undefined && { previousSecretUntil: isoTime(secrets[1].until) }),
          ...(conditions && { conditions }),
        },
      }
    },
  },
)

/** One as it is read, for answers that add something. */
export const shownFields = resourceSchema(WebhookSpec, ShownStatus).properties

export const WebhookWrite = writeSchema('Webhook', Webhook.kind, WebhookWriteSpec)

/** How a webhook fares, in one word. */
export function stateOf({ spec, status, generation }: Pick<Webhook, 'spec' | 'status' | 'generation'>) {
  if (spec.active === false) return 'inactive'
  if (status.paused?.generation === generation) return 'paused'
  return status.failing ? 'failing' : 'active'
}

/** One name, one webhook, in a project. */
export const webhookName = (projectId: string, name: string): string => `webhook-name/${projectId}/${name}`

/** How many a project may have. Each reads all of its events. */
export const mostWebhooks = 50
export const webhookCounter = (projectId: string): string => `webhooks/${projectId}`
