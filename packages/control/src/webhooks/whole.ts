import { type Part, type Whole, whole } from '../teardown/model.ts'
import { inProject, ownedBy } from '../teardown/parts.ts'
import { DeadLetter } from './dead-letter.ts'
import { Webhook, webhookCounter, webhookName } from './model.ts'

const dead = { noun: Webhook.noun, blocks: false, end: 'remove' } as const

/** A webhook goes with its dead letters. */
export const webhookWhole: Whole = whole<Webhook>(Webhook.kind, {
  parts: [ownedBy(DeadLetter.kind, dead)],
  keys: ({ projectId, name }) => [webhookName(projectId!, name!)],
  besides: (set, _everything, { projectId }) => set.move(webhookCounter(projectId!), -1),
})

/** Nobody keeps a project for its webhooks: they go with it, after what they tell of. */
export const webhooksInProjects: readonly Part[] = [
  inProject(Webhook.kind, { noun: Webhook.noun, blocks: false, end: 'mark' }),
  inProject(DeadLetter.kind, dead),
]
