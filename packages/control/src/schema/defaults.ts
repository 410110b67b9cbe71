import { branches, type JsonSchema, some } from './json-schema.ts'
import { validator } from './validator.ts'

/** Makes a copy of a value in which what was left out has the default that the schema gives it. */
export type Filling = (value: unknown) => unknown

const asIs: Filling = value => value

/** Fills in defaults at every depth. Most schemas have none, and then there is nothing to copy. */
export function filling(schema: JsonSchema): Filling {
  if (!some(schema, inner => inner.default !== undefined)) return asIs
  const inside = insideOf(schema)
  const { default: fallback } = schema
  return value => inside(value === undefined ? structuredClone(fallback) : value)
}

function insideOf(schema: JsonSchema): Filling {
  const union = branches(schema)
  if (union.length > 0) return ofUnion(union)
  if (schema.items) return ofArray(filling(schema.items))
  return schema.properties || schema.patternProperties || typeof schema.additionalProperties === 'object'
    ? ofObject(schema)
    : asIs
}

/** By the first branch that the value fits once it is filled in: before that, what is missing makes it fit none. */
function ofUnion(union: readonly JsonSchema[]): Filling {
  const choices = union.map(branch => ({ fill: filling(branch), fits: validator(branch) }))
  return value => {
    for (const { fill, fits } of choices) {
      const filled = fill(value)
      if (fits.errors(filled).length === 0) return filled
    }
    return value
  }
}

const ofArray =
  (fill: Filling): Filling =>
  value =>
    Array.isArray(value) ? value.map(fill) : value

function ofObject({ properties = {}, patternProperties = {}, additionalProperties }: JsonSchema): Filling {
  const named = Object.entries(properties).map(([name, schema]) => [name, filling(schema)] as const)
  const patterns = Object.entries(patternProperties).map(([pattern, schema]) => {
    return { pattern: new RegExp(pattern, 'u'), fill: filling(schema) }
  })
  const ofRest = typeof additionalProperties === 'object' ? filling(additionalProperties) : asIs
  return value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const copy: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) continue
      copy[name] = (patterns.find(({ pattern }) => pattern.test(name))?.fill ?? ofRest)(field)
    }
    for (const [name, fill] of named) {
      const filled = fill((value as Record<string, unknown>)[name])
      if (filled !== undefined) copy[name] = filled
    }
    return copy
  }
}
