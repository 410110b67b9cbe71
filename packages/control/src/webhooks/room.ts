import type { Controller, Metrics, Sealer, Store, Tracing } from '@stead/engine'
import { createMetrics } from '@stead/engine'
import type { Tell } from '../audit/deeds.ts'
import type { OutgoingStreams } from '../outgoing/index.ts'
import { teardownController } from '../teardown/controller.ts'
import { webhookRoutes } from './api.ts'
import { webhookController } from './controller.ts'
import { deliveriesTable } from './deliveries.ts'
import { Webhook } from './model.ts'
import { postMetrics } from './post.ts'
import { webhooksInProjects, webhookWhole } from './whole.ts'

export interface WebhookSurroundings {
  readonly store: Store
  readonly sealer: Sealer
  readonly take: OutgoingStreams
  readonly metrics?: Metrics
  readonly tracing?: Tracing | undefined
  readonly tell: Tell
  /** Kinds whose changes come with events. */
  readonly kinds: readonly string[]
}

/** Where the events of projects are sent. */
export const webhookRoom = {
  kinds: [Webhook],
  inProjects: webhooksInProjects,
  /** What was sent is known for at least as long as what happened. */
  tables: [deliveriesTable],
  controllers: ({ kinds, metrics = createMetrics(), tell, ...office }: WebhookSurroundings): readonly Controller[] => [
    webhookController({ ...office, measure: postMetrics(metrics) }, kinds),
    teardownController(webhookWhole, tell),
  ],
  routes: webhookRoutes,
}
