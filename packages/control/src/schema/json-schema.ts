import type { TSchema } from 'typebox'

/** TypeBox schemas are JSON Schema documents; this is the part of one that we look into. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly writeOnly?: boolean
  readonly $ref?: string
  /** Our own mark: the value is a secret, never to be logged, audited or kept in the open. See `secret.ts`. */
  readonly 'x-secret'?: boolean
}

/**
 * A TypeBox schema as the tree we work on: intersections of objects are merged into one object, so that "which fields
 * are there?" has one answer. References are refused: each schema of the house can be read on its own.
 */
export function jsonSchema(schema: TSchema): JsonSchema {
  return plain(schema as JsonSchema)
}

function plain(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined) throw new Error(`a schema refers to ${schema.$ref}: write the schema itself there`)
  if (Array.isArray(schema.items)) throw new Error('a schema describes a tuple: use an object with named fields')
  const inner = mapped(schema, plain)
  return inner.allOf ? merged(inner) : inner
}

function merged({ allOf = [], ...around }: JsonSchema): JsonSchema {
  const objects = allOf.filter(({ properties }) => properties)
  if (objects.length < allOf.length) throw new Error('a schema intersects something that is not an object with fields')
  return {
    type: 'object',
    ...around,
    properties: Object.assign({}, ...objects.map(({ properties }) => properties)),
    required: [...new Set(objects.flatMap(({ required = [] }) => required))],
  }
}

/** A schema with each schema directly inside it replaced. */
export function mapped(schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = { ...schema }
  for (const key of ['properties', 'patternProperties'] as const) {
    const group = schema[key]
    if (group) copy[key] = Object.fromEntries(Object.entries(group).map(([name, inner]) => [name, change(inner)]))
  }
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) if (schema[key]) copy[key] = schema[key].map(change)
  if (typeof schema.additionalProperties === 'object') copy.additionalProperties = change(schema.additionalProperties)
  if (schema.items) copy.items = change(schema.items)
  return copy
}

/** Whether any schema in this tree is as asked. */
export function some(schema: JsonSchema, is: (schema: JsonSchema) => boolean): boolean {
  let found = is(schema)
  mapped(schema, inner => {
    found ||= some(inner, is)
    return inner
  })
  return found
}

/** The branches of a union, or none. */
export const branches = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? schema.oneOf ?? []
