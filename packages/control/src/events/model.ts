import type { ChangeSetBuilder, StoredRecord } from '@stead/engine'
import { isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { Time } from '../resource/model.ts'
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
    object: Type.Object({ kind: Type.String(), id: Type.String(), name: Type.Optional(Type.String()) }),
  },
  { title: 'Event' },
)
export type Event = Static<typeof Event>

type EventBody = Pick<Event, 'level' | 'reason' | 'message' | 'object'>

/** What events need to know of an object. */
export interface Subject {
  readonly kind: string
  readonly id: string
  readonly name?: string
  readonly organizationId?: string
  readonly projectId?: string
}

export const eventsTable = 'events'

/** Whose events an object's are: its project's, else its organization's, else the platform's. */
export const eventScope = ({ projectId, organizationId }: Omit<Subject, 'kind' | 'id' | 'name'>): string =>
  projectId ?? organizationId ?? 'platform'

/** Tells of something in the change-set in which it happens. Secrets never go in. */
export function appendEvent(
  set: ChangeSetBuilder,
  subject: Subject,
  { level = 'info', reason, message }: Pick<Event, 'reason' | 'message'> & { readonly level?: Event['level'] },
): void {
  const { kind, id, name } = subject
  const body: EventBody = { level, reason, message, object: { kind, id, ...(name !== undefined && { name }) } }
  set.record({ table: eventsTable, scope: eventScope(subject), subject: id, body })
}

export const presentEvent = ({ sequence, at, body }: StoredRecord): Event => ({
  id: String(sequence),
  at: isoTime(at),
  ...(body as EventBody),
})
