import { changeSet, type ObjectDraft, refOf, type Sealer, type Store } from '@stead/engine'
import { onKey, onLimit } from '../door/conflicts.ts'
import { created } from '../door/replies.ts'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { appendEvent, eventsTable } from '../events/model.ts'
import type { Caller, Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import { checkedUrl, OutgoingError } from '../outgoing/index.ts'
import { projectNounRoutes } from '../resource/project-routes.ts'
import { written } from '../resource/write.ts'
import { Type } from '../schema/type.ts'
import { sealInto } from '../sealed/model.ts'
import { buildingOn, placeObjects } from '../teardown/building.ts'
import { mayAskFor } from './filter.ts'
import {
  mostWebhooks,
  shownFields,
  Webhook,
  type WebhookSpec,
  type WebhookStatus,
  WebhookWrite,
  WebhookWriteSpec,
  webhookCounter,
  webhookName,
} from './model.ts'
import { newSecret, ShownSecret } from './signature.ts'
import { webhookVerbs } from './verbs.ts'
import { webhookWhole } from './whole.ts'

export interface WebhookRoutesOptions {
  readonly store: Pick<Store, 'records'>
  readonly sealer: Sealer
  /** What events of a project are about, and what reading it is called: `instances`. */
  readonly told: readonly { readonly kind: string; readonly noun: string }[]
}

export const webhookRoutes = (options: WebhookRoutesOptions): readonly Route[] => {
  const { store, sealer, told } = options
  return [
    route({
      method: 'POST',
      path: '/v1/projects/:project/webhooks',
      summary: 'Create a webhook',
      description: [
        'Each event of the project that it asks for is sent to its URL by POST: at least once, those of one object in',
        'their order, signed as Standard Webhooks has it. What happened before it was made is not sent.',
        'The caller must be able to read everything it tells of.',
      ].join(' '),
      scope: 'project',
      permission: 'webhooks:create',
      body: WebhookWrite,
      replies: { 201: Type.Object({ secret: ShownSecret, ...shownFields }, { title: 'NewWebhook' }) },
      examples: {
        body: { name: 'chat', spec: { url: 'https://hooks.example/stead', events: { types: ['instance.*'] } } },
      },
      conflicts: [
        onKey('webhook-name/', () => fail('name_taken', 'the project has a webhook of this name')),
        onLimit('webhooks/', () => fail('quota_exceeded', `a project has at most ${mostWebhooks} webhooks`)),
      ],
      async handle({ body, caller, place }, { world, everything, conclude }) {
        const { spec: sent, ...fields } = written({ spec: WebhookWriteSpec }, body)
        const { secret: given, ...spec } = sent
        assertUrl(spec.url)
        assertReadable(spec, told, { caller, place })
        const projectId = (place as Place & { type: 'project' }).projectId
        const [newest] = await store.records({ table: eventsTable, scope: projectId, limit: 1 })
        const status: WebhookStatus = { secrets: [], cursor: newest?.sequence ?? 0, held: [], asked: [] }
        const draft = Webhook.draft({ world, place, caller, ...fields, spec, status })
        const set = changeSet(world)
        const text = given ?? newSecret(world)
        const kept = { ...sealInto(set, sealer, refOf(draft), Buffer.from(text)), since: draft.createdAt }
        const webhook: ObjectDraft<WebhookSpec, WebhookStatus> = { ...draft, status: { ...status, secrets: [kept] } }
        buildingOn(set.create(webhook), ...placeObjects(everything, place))
          .take(webhookName(projectId, fields.name), draft.id)
          .limit(webhookCounter(projectId), mostWebhooks)
          .move(webhookCounter(projectId), 1)
        appendEvent(set, draft, { reason: 'Created', message: `by ${caller.displayName}, for ${hostOf(spec.url)}` })
        const shown = given === undefined ? { secret: text } : {}
        return conclude(set, outcome => created(Webhook, outcome.object(webhook), shown))
      },
    }),
    ...projectNounRoutes({
      ...{ resource: Webhook, whole: webhookWhole, store, one: 'a webhook', param: 'webhook' },
      changes: 'the URL, the events, whether it is active, the labels or the display name',
      endsAfter: 'it is kept for another reason',
      cascades: false,
      resolve(body) {
        if (body.spec && 'secret' in body.spec)
          throw fail('invalid', 'a secret is replaced by rotate-secret, so that nothing is refused meanwhile', {
            errors: [{ path: '/spec/secret', message: 'cannot be changed here' }],
          })
        return body
      },
      check({ spec, changed }, asking) {
        if (changed('/spec/url')) assertUrl(spec.url)
        if (changed('/spec/events')) assertReadable(spec, told, asking)
      },
    }),
    ...webhookVerbs(options),
  ]
}

const hostOf = (url: string) => URL.parse(url)!.host

/** Where it leads is looked at each time something is sent: names change what they mean. */
function assertUrl(url: string): void {
  try {
    checkedUrl(url)
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    throw fail('invalid', `the URL cannot be used: ${error.message}`, {
      errors: [{ path: '/spec/url', message: error.message }],
    })
  }
}

/** Who may not read something must not have it sent to them. */
function assertReadable(
  { events = {} }: WebhookSpec,
  told: WebhookRoutesOptions['told'],
  { caller, place }: { readonly caller: Caller; readonly place: Place },
): void {
  const missing = told
    .filter(({ kind }) => mayAskFor(events, kind))
    .filter(({ noun }) => !caller.may(`${noun}:read` as Permission, place))
  if (missing.length === 0) return
  const nouns = missing.map(({ noun }) => `${noun}:read`).join(', ')
  throw fail('forbidden', `it would tell of what you may not read: that needs ${nouns}`)
}
