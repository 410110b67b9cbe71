import type { ChangeSetBuilder, StoredRecord } from '@stead/engine'
import { isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { Labels, Time } from '../resource/model.ts'
import { Type } from '../schema/type.ts'

/** Something that happened to an object, and why: durable, and in the order in which it happened. */
export const Event = Type.Object(
  {
    /** Grows with time; of no other meaning. */
    id: Type.String(),
    at: Time,
    level: Type.Enum(['info', 'warning']),
    reason: Type.String({ description: 'One CamelCase word that a program can compare.' }),
    message: Type.String({ description: 'A sentence for a person.' }),
    object: Type.Object({
      kind: Type.String(),
      id: Type.String(),
      name: Type.Optional(Type.String()),
      labels: Type.Optional(Labels),
      phase: Type.Optional(Type.String({ description: 'The phase or state it was in, or came to, where it has one.' })),
    }),
    traceparent: Type.Optional(
      Type.String({ description: 'Where in a trace it happened (W3C trace context), if that is recorded.' }),
    ),
  },
  { title: 'Event' },
)
export type Event = Static<typeof Event>

type EventBody = Pick<Event, 'level' | 'reason' | 'message' | 'object' | 'traceparent'>

/** What events need to know of an object. */
export interface Subject {
  readonly kind: string
  readonly id: string
  readonly name?: string
  readonly organizationId?: string
  readonly projectId?: string
  readonly labels?: Readonly<Record<string, string>>
  /** As it is after what happened: its `phase` or `state` is told along. */
  readonly status?: unknown
}

export const eventsTable = 'events'

/** Whose events an object's are: its project's, else its organization's, else the platform's. */
export const eventScope = ({ projectId, organizationId }: Pick<Subject, 'projectId' | 'organizationId'>): string =>
  projectId ?? organizationId ?? 'platform'

/** Tells of something in the change-set in which it happens. Secrets never go in. */
export function appendEvent(
  set: ChangeSetBuilder,
  subject: Subject,
  { level = 'info', reason, message }: Pick<Event, 'reason' | 'message'> & { readonly level?: Event['level'] },
): void {
  const body: EventBody = { level, reason, message, object: describe(subject) }
  set.record({ table: eventsTable, scope: eventScope(subject), subject: subject.id, body })
}

/** As it was then: who reads an event later, or is sent it, may find the object changed or gone. */
function describe({ kind, id, name, labels = {}, status }: Subject): Event['object'] {
  const { phase, state } = (status ?? {}) as { readonly phase?: unknown; readonly state?: unknown }
  const reached = phase ?? state
  return {
    ...{ kind, id },
    ...(name !== undefined && { name }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(typeof reached === 'string' && { phase: reached }),
  }
}

export const presentEvent = ({ sequence, at, body }: StoredRecord): Event => ({
  id: String(sequence),
  at: isoTime(at),
  ...(body as EventBody),
})
