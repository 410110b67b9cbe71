import type { Static, TSchema, TSchemaOptions } from 'typebox'
import { Type } from '../schema/type.ts'

export const Time = Type.String({ format: 'date-time' })

/** A DNS label: what every name of ours must be, because names end up in host names and backend objects. */
export const Name = Type.String({ minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' })

export const Labels = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$' }),
  Type.String({ maxLength: 255 }),
  { maxProperties: 64 },
)

/** The part every resource shares. */
export const Metadata = Type.Object({
  id: Type.String(),
  name: Name,
  displayName: Type.Optional(Type.String({ maxLength: 255 })),
  organizationId: Type.Optional(Type.String()),
  projectId: Type.Optional(Type.String()),
  labels: Labels,
  generation: Type.Integer({ minimum: 1 }),
  revision: Type.Integer({ minimum: 0 }),
  createdAt: Time,
  createdBy: Type.Optional(Type.String()),
  deletedAt: Type.Union([Time, Type.Null()]),
})
export type Metadata = Static<typeof Metadata>

export const Condition = Type.Object({
  type: Type.String(),
  status: Type.Union([Type.Literal('true'), Type.Literal('false'), Type.Literal('unknown')]),
  reason: Type.String(),
  message: Type.String(),
  since: Time,
})
export type Condition = Static<typeof Condition>

/** The shape in which every resource is read: `{metadata, spec, status}`. */
export const resourceSchema = <Spec extends TSchema, Status extends TSchema>(
  spec: Spec,
  status: Status,
  options: TSchemaOptions = {},
) => Type.Object({ metadata: Metadata, spec, status }, options)

/** The shape in which many are read. A list is of one revision; `nextCursor` is null on the last page. */
export const listSchema = <Item extends TSchema>(item: Item, options: TSchemaOptions = {}) =>
  Type.Object(
    {
      items: Type.Array(item),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
      total: Type.Integer({ minimum: 0 }),
      revision: Type.Optional(Type.Integer({ minimum: 0 })),
    },
    options,
  )
