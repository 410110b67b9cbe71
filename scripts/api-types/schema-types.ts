/** As much of a JSON schema as the API's own schemas use. */
export interface Schema {
  readonly type?: string
  readonly $ref?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly items?: Schema
}

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** Names of types that stand in several places, by `shapeOf`. */
export type Names = ReadonlyMap<string, string>

/** The TypeScript type of what a schema admits. */
export function typeOf(schema: Schema, names: Names, indent = ''): string {
  const inside = (part: Schema) => typeOf(part, names, indent)
  if (schema.$ref) return typeName(schema.$ref.split('/').at(-1)!)
  if (schema.enum) return union(schema.enum.map(literal))
  if (schema.const !== undefined) return literal(schema.const)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) return union(branches.map(inside))
  if (schema.allOf) return schema.allOf.map(inside).join(' & ')
  if (schema.type === 'array') return `readonly ${grouped(inside(schema.items ?? {}))}[]`
  if (isObject(schema)) return names.get(shapeOf(schema)) ?? objectType(schema, names, indent)
  return simple[schema.type ?? ''] ?? 'unknown'
}

export const isObject = ({ type, properties }: Schema): boolean => type === 'object' || properties !== undefined

/** Equal for two schemas whose types are. */
export const shapeOf = (schema: Schema): string => objectType(schema, new Map())

/** Spelled out, though it may have a name. */
export function objectType(schema: Schema, names: Names, indent = ''): string {
  const { properties = {}, required = [], ...more } = schema
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?'
    const type = typeOf(property, names, inner)
    return `${comment(property.description, inner)}${inner}readonly ${key(name)}${optional}: ${type}\n`
  })
  const values = Object.values(more.patternProperties ?? {}).map(value => typeOf(value, names, inner))
  if (typeof more.additionalProperties === 'object') values.push(typeOf(more.additionalProperties, names, inner))
  // Beside named members only what fits all of them may stand for the rest.
  const rest = members.length > 0 && values.length > 0 ? 'unknown' : union(values)
  if (values.length > 0 || more.additionalProperties === true)
    members.push(`${inner}readonly [name: string]: ${rest || 'unknown'}\n`)
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`
}

/** What a person should know of what follows, as a comment above it. */
export const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ').trim()} */\n`

/** `Dead-letter` is `DeadLetter`. */
export const typeName = (title: string): string =>
  title.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())

export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value)

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

const grouped = (type: string): string => (/ [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type)
