import type { RecordDraft, StoredRecord } from '@stead/engine'
import { isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { Time } from '../resource/model.ts'
import { Type } from '../schema/type.ts'

const Anything = Type.Unknown({ description: 'Secrets are replaced, and what is long is cut.' })

const FieldChange = Type.Object({
  path: Type.String({ description: 'A JSON pointer.' }),
  from: Type.Optional(Anything),
  to: Type.Optional(Anything),
})
export type FieldChange = Static<typeof FieldChange>

const Named = { kind: Type.String(), id: Type.String(), name: Type.Optional(Type.String()) }

const ObjectChange = Type.Object({
  ...Named,
  op: Type.Enum(['create', 'update', 'delete']),
  changes: Type.Array(FieldChange),
})
export type ObjectChange = Static<typeof ObjectChange>

const entryFields = {
  actor: Type.Object({
    id: Type.String(),
    type: Type.String(),
    name: Type.String(),
    credential: Type.Optional(Type.String({ description: 'The token or session it came with.' })),
  }),
  onBehalfOf: Type.Optional(Type.String({ description: 'The id of who asked for it, when a controller does it.' })),
  action: Type.String({ description: '`noun:verb`' }),
  request: Type.String({ description: 'The route, or the command.' }),
  organizationId: Type.Optional(Type.String()),
  projectId: Type.Optional(Type.String()),
  object: Type.Optional(Type.Object(Named)),
  changed: Type.Optional(Type.Array(ObjectChange)),
  result: Type.Enum(['done', 'denied']),
  code: Type.Optional(Type.String({ description: 'What it was refused with.' })),
  ended: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description: 'How a terminal or another stream ended: why, after how many seconds, with which exit code.',
    }),
  ),
  from: Type.Object({ address: Type.String(), userAgent: Type.Optional(Type.String()) }),
  traceId: Type.Optional(Type.String()),
  count: Type.Integer({ minimum: 1, description: 'How many like it this one stands for.' }),
}

const AuditBody = Type.Object(entryFields)
/** Who did what, on whose behalf, to which object, with which result, from where. */
export type AuditBody = Static<typeof AuditBody>

export const AuditEntry = Type.Object({ id: Type.String(), at: Time, ...entryFields }, { title: 'AuditEntry' })

/** Whole entries: scope is the organization's id or `platform`, subject the object's id. */
export const auditTable = 'audit'

/**
 * One small line for each entry, written right after it: how the platform finds the entries of all organizations, and
 * everybody those of one actor. A second entry in place of it would cost 800 bytes more; another index of the store
 * would be paid by every table.
 */
export const auditIndexTable = 'audit-index'

/** What can be asked for, of an entry. */
export interface Facets {
  readonly scope: string
  readonly actor: string
  readonly actorName: string
  readonly action: string
  readonly object?: string
  readonly objectName?: string
}

const facetsOf = ({ actor, action, object }: AuditBody, scope: string): Facets => ({
  scope,
  actor: actor.id,
  actorName: actor.name,
  action,
  ...(object && { object: object.id }),
  ...(object?.name !== undefined && { objectName: object.name }),
})

/** The lines that an entry is, to be written in this order and in one change-set. */
export function auditRecords(body: AuditBody): readonly RecordDraft[] {
  const scope = body.organizationId ?? 'platform'
  const subject = body.object?.id ?? 'none'
  return [
    { table: auditTable, scope, subject, body },
    { table: auditIndexTable, scope: 'platform', subject: body.actor.id, body: facetsOf(body, scope) },
  ]
}

/** Of an entry, or of its line in the index. */
export const readFacets = ({ table, scope, body }: StoredRecord): Facets =>
  table === auditIndexTable ? (body as Facets) : facetsOf(body as AuditBody, scope)

export const presentAudit = ({ sequence, at, body }: StoredRecord): Static<typeof AuditEntry> => ({
  id: String(sequence),
  at: isoTime(at),
  ...(body as AuditBody),
})
