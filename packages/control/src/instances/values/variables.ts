import type { Static } from 'typebox'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { SealedContent } from '../../sealed/model.ts'

const longestText = 32_768

export const VariableName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 64 })

/** Something that is said once and used in many places of a source, as `${var.name}`. */
export const Variable = Type.Object({
  name: VariableName,
  type: Type.Optional(
    Type.Enum(['string', 'int', 'bool', 'enum', 'secret', 'computed'], { description: 'string unless said.' }),
  ),
  description: Type.Optional(Type.String({ maxLength: 1_024 })),
  required: Type.Optional(Type.Boolean({ description: 'It must have a value; one without is empty unless said.' })),
  default: Type.Optional(
    Type.Union([Type.String({ maxLength: longestText }), Type.Integer(), Type.Boolean()], {
      description: 'Its value where none is given.',
    }),
  ),
  enum: Type.Optional(
    Type.Array(Type.String({ maxLength: 1_024 }), {
      ...{ minItems: 1, maxItems: 100, uniqueItems: true },
      description: 'Of an enum: what it can be.',
    }),
  ),
  pattern: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Of a string: a regular expression that it must match.' }),
  ),
  min: Type.Optional(Type.Integer({ description: 'Of an int its least value, of a string its least length.' })),
  max: Type.Optional(Type.Integer({ description: 'The largest.' })),
  value: Type.Optional(
    Type.String({ maxLength: longestText, description: 'Of a computed one: text with other variables in it.' }),
  ),
})
export type Variable = Static<typeof Variable>

const SecretReference = Type.Object(
  {
    secret: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A secret of the project, by name or id; kept by id.',
    }),
    version: Type.Optional(Type.Integer({ minimum: 1, description: 'The newest at launch unless said.' })),
  },
  { description: 'Of a secret variable.' },
)
export type SecretReference = Static<typeof SecretReference>

/** Without its title: it is sent as well as answered. */
const Placeholder = Type.Object({ ...SealedContent.properties })

/** What is written of a secret one is sealed: what stands for it is read back, and means "unchanged" when it is sent again. */
const Value = Type.Union([
  secret(Type.String({ maxLength: longestText })),
  Type.Integer(),
  Type.Boolean(),
  SecretReference,
  Placeholder,
])

export const variableFields = {
  variables: Type.Optional(
    Type.Array(Variable, { maxItems: 64, description: 'What can be said of it without changing its source.' }),
  ),
  variableValues: Type.Optional(
    Type.Record(VariableName, Value, { maxProperties: 64, description: 'The values of variables, by name.' }),
  ),
}

export type VariableValue = Static<typeof Value>

/** The part of a spec that is about variables. */
export interface Variables {
  readonly variables?: readonly Variable[]
  readonly variableValues?: Readonly<Record<string, VariableValue>>
}

export const isReference = (value: VariableValue | undefined): value is SecretReference =>
  typeof value === 'object' && 'secret' in value

export const isSealed = (value: VariableValue | undefined): value is SealedContent =>
  typeof value === 'object' && 'sealed' in value

export const typeOf = ({ type = 'string' }: Variable) => type
