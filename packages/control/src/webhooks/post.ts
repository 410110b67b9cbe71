import {
  durationBuckets,
  inSpan,
  type Metrics,
  type ReconcileContext,
  type Sealer,
  type SpanContext,
  type Store,
  type Tracing,
} from '@stead/engine'
import { seconds } from '@stead/world'
import type { OutgoingStreams } from '../outgoing/index.ts'
import { unseal } from '../sealed/model.ts'
import { spanOf, traceparentOf } from '../tracing/operation-span.ts'
import { bodyOf, type Letter } from './deliveries.ts'
import type { Webhook } from './model.ts'
import { type Attempt, attemptDeadline, send } from './send.ts'

/** What it takes to send something. */
export interface PostOffice {
  readonly take: OutgoingStreams
  readonly store: Pick<Store, 'records' | 'blob' | 'identity'>
  readonly sealer: Sealer
  readonly measure: PostMetrics
  readonly tracing?: Tracing | undefined
}

export function postMetrics(metrics: Metrics) {
  const counted = metrics.counter('stead_webhook_attempts', 'Attempts to send an event to a webhook', ['result'])
  return {
    delivered: counted.with({ result: 'delivered' }),
    failed: counted.with({ result: 'failed' }),
    duration: metrics.histogram(
      'stead_webhook_attempt_duration_seconds',
      'How long receivers of webhooks take to answer',
      durationBuckets,
    ),
    dead: metrics.counter('stead_webhook_dead_letters', 'Events that became dead letters'),
  }
}

export type PostMetrics = ReturnType<typeof postMetrics>

/** Somewhat more than the attempt itself has: it is to end by its own deadline, with its own words. */
const outsideDeadline = seconds(attemptDeadline / 1_000 + 5)

/** A way to send letters of one webhook, signed with the secrets that are valid now. */
export async function openPost(
  { take, store, sealer, measure, tracing }: PostOffice,
  webhook: Webhook,
  context: ReconcileContext,
) {
  const { world } = context
  const valid = webhook.status.secrets.filter(({ until }) => until === undefined || until > world.now())
  const opened = await Promise.all(valid.map(secret => unseal({ store, sealer }, webhook, secret)))
  const secrets = opened.map(bytes => Buffer.from(bytes).toString())
  const { url } = webhook.spec
  return async (letter: Letter): Promise<Attempt> => {
    const parcel = { url, id: letter.messageId, body: bodyOf(webhook, letter), secrets }
    const attempt = await context.outside({ name: 'webhook', mutates: true, deadline: outsideDeadline }, signal =>
      told(tracing, { webhook, letter }, span =>
        send({ take, world, signal }, { ...parcel, traceparent: span && traceparentOf(span) }),
      ),
    )
    measure[attempt.delivered ? 'delivered' : 'failed'].add()
    measure.duration.observe(attempt.duration / 1_000)
    return attempt
  }
}

/** Sends it below what it tells of, where that is recorded, so that the receiver can go on from there. */
function told(
  tracing: Tracing | undefined,
  { webhook, letter }: { readonly webhook: Webhook; readonly letter: Letter },
  sent: (span: SpanContext | undefined) => Promise<Attempt>,
): Promise<Attempt> {
  const { traceparent } = letter.event ?? {}
  if (!tracing || traceparent === undefined) return sent(undefined)
  const draft = {
    name: 'webhook',
    side: 'client' as const,
    attributes: {
      'http.request.method': 'POST',
      // Not the rest of the URL: it may hold what opens the receiver's door.
      'server.address': URL.parse(webhook.spec.url)?.hostname,
      'stead.webhook': webhook.id,
      'stead.event': letter.type,
    },
    answered: ({ status, delivered }: Attempt) => ({
      attributes: { 'http.response.status_code': status ?? undefined },
      failure: delivered ? undefined : 'not_taken',
    }),
    failureOf: () => 'failed',
  }
  return tracing.within(spanOf(traceparent), () => inSpan(tracing, draft, sent))
}

export type Post = Awaited<ReturnType<typeof openPost>>

/** How many lanes of one webhook are under way at once. */
const atOnce = 8

/** Does this for each, a few at a time, in order of the list. */
export async function fewAtOnce<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await act(items[index]!)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
  return results
}
