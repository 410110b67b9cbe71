import type { Static, TSchema, TUnsafe } from 'typebox'
import { jsonSchema } from '../schema/json-schema.ts'
import { Type } from '../schema/type.ts'
import { Labels, Name } from './model.ts'

export const DisplayName = Type.String({ maxLength: 255 })
const Ignored = Type.Optional(Type.Unknown())

/** What a reader was shown and sends back. It is accepted and changes nothing. */
const shownMetadata = {
  id: Ignored,
  organizationId: Ignored,
  projectId: Ignored,
  generation: Ignored,
  revision: Ignored,
  createdAt: Ignored,
  createdBy: Ignored,
  deletedAt: Ignored,
}

const writable = { displayName: Type.Optional(DisplayName), labels: Type.Optional(Labels) }

interface Fields {
  readonly displayName?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Both forms in which a new object may be sent. */
export type WriteValue<Spec> =
  | (Fields & { readonly name: string; readonly metadata?: never; readonly spec?: Spec })
  | { readonly metadata: Fields & { readonly name: string }; readonly spec?: Spec }

export type WriteBody<Spec extends TSchema> = TUnsafe<WriteValue<Static<Spec>>>

/** `{name, labels, spec}`, or the form in which objects are read; files for `apply` are the latter with `kind`. */
export function writeSchema<Spec extends TSchema>(title: string, kind: string, spec: Spec): WriteBody<Spec> {
  const { required = [] } = jsonSchema(spec)
  const specField = { spec: required.length > 0 ? spec : Type.Optional(spec) }
  const forms = [
    Type.Object({ name: Name, ...writable, ...specField }),
    Type.Object({
      kind: Type.Optional(Type.Literal(kind)),
      metadata: Type.Object({ name: Name, ...writable, ...shownMetadata }),
      ...specField,
      status: Ignored,
    }),
  ]
  return Type.Unsafe(Type.Union(forms, { title: `${title}Write` }))
}

const patchable = {
  name: Type.Optional(Type.String({ description: 'Names never change: any other than the present one is refused.' })),
  displayName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  labels: Type.Optional(
    Type.Union([
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), { description: 'null removes a label' }),
      Type.Null(),
    ]),
  ),
}

/**
 * A JSON merge patch (RFC 7396). What it leads to is checked by the resource's own schema, where it changes something.
 */
export const PatchBody = Type.Object(
  {
    ...patchable,
    kind: Ignored,
    metadata: Type.Optional(Type.Object({ ...patchable, ...shownMetadata })),
    spec: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What changes of the spec; null removes a field.' }),
    ),
    status: Ignored,
  },
  { title: 'MergePatch' },
)
export type PatchValue = Static<typeof PatchBody>
