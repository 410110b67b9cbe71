import type { BaseStatus, ChangeSetBuilder, StoredObject, View } from '@stead/engine'
import { type Instant, isoTime } from '@stead/world'
import { Event } from '../events/model.ts'
import { Time } from '../resource/model.ts'
import { nameless } from '../resource/nameless.ts'
import { Type } from '../schema/type.ts'
import type { Happening } from './decide.ts'
import type { Webhook } from './model.ts'

export interface DeadLetterSpec {
  readonly sequence: number
  readonly object: Event['object']
  readonly reason: string
}

export interface DeadLetterStatus extends BaseStatus {
  /** When it was last tried because somebody asked for it. */
  readonly triedAt?: Instant
}

/** An event that a receiver did not take for so long that what came after it went first. */
export const DeadLetter = nameless<DeadLetterSpec, DeadLetterStatus>('dead-letter', 'dead', {
  spec: Type.Object({
    event: Type.String({ description: 'Its id: say it to have it sent again.' }),
    reason: Type.String(),
    object: Event.properties.object,
  }),
  status: Type.Object({ triedAt: Type.Optional(Time) }),
  show: ({ spec: { sequence, object, reason }, status: { triedAt } }) => ({
    spec: { event: String(sequence), object, reason },
    status: { ...(triedAt !== undefined && { triedAt: isoTime(triedAt) }) },
  }),
})
export type DeadLetter = StoredObject<DeadLetterSpec, DeadLetterStatus>

/** With more it takes no part in what happens any more: it is paused, and nothing is lost. */
export const mostDeadLetters = 1_000

const idOf = (webhook: string, sequence: number) => `dead_${webhook.replace(/^[a-z]+_/, '')}_${sequence}`

export function createDeadLetter(
  set: ChangeSetBuilder,
  { id, kind, organizationId, projectId }: Webhook,
  { sequence, event }: Happening,
  at: Instant,
): void {
  set.create<DeadLetterSpec, DeadLetterStatus>({
    ...{ kind: DeadLetter.kind, id: idOf(id, sequence), organizationId: organizationId!, projectId: projectId! },
    ...{ owner: { kind, id }, labels: {}, finalizers: [], createdAt: at, status: {} },
    spec: { sequence, object: event.object, reason: event.reason },
  })
}

export const deadLetterOf = (everything: View, webhook: string, sequence: number): DeadLetter | undefined =>
  everything.get(DeadLetter.kind, idOf(webhook, sequence))

export const deadLettersOf = (everything: View, { kind, id }: Webhook): readonly DeadLetter[] =>
  everything.list({ kind: DeadLetter.kind, owner: { kind, id } }).items
