import type TypeBox from 'typebox'

/** A part of a JSON Schema document. */
type JsonSchema = Readonly<Record<string, unknown>>
type Options = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, JsonSchema>>

/** TypeBox's own mark, so that fields made by it can be among ours, and ours among its. */
const optional = '~optional'
const isRequired = (schema: JsonSchema) => !(optional in schema)

const plain = (type: string) => (options: Options) => ({ type, ...options })

const builders = {
  Array: (items: JsonSchema, options: Options) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Enum: (values: readonly unknown[], options: Options) => ({ enum: values, ...options }),
  Integer: plain('integer'),
  Intersect: (allOf: readonly JsonSchema[], options: Options) => ({ allOf, ...options }),
  Literal: (value: unknown, options: Options) => ({ type: typeof value, const: value, ...options }),
  Null: plain('null'),
  Number: plain('number'),
  Object(properties: Fields, options: Options) {
    const required = Object.keys(properties).filter(name => isRequired(properties[name]!))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  /** The mark does not survive a spread: what is built from an optional field is not one. */
  Optional: (schema: JsonSchema) => Object.defineProperty({ ...schema }, optional, { value: true }),
  Record: (key: { readonly pattern?: string }, value: JsonSchema, options: Options) => ({
    type: 'object',
    patternProperties: { [key.pattern ?? '^.*$']: value },
    ...options,
  }),
  String: plain('string'),
  Union: (anyOf: readonly JsonSchema[], options: Options) => ({ anyOf, ...options }),
  Unknown: (options: Options) => ({ ...options }),
  Unsafe: (schema: JsonSchema) => ({ ...schema }),
}

/**
 * What we use of TypeBox's `Type`, with its types and without its code: at run time a schema is a JSON Schema document,
 * and the 450 files of TypeBox that compute with types were a third of all that a start loads, and 17 MB.
 */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
