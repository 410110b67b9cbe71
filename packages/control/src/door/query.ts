import type { TSchema } from 'typebox'
import { branches, type JsonSchema, jsonSchema } from '../schema/json-schema.ts'

type Raw = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Reads a query string as its schema means it: `10` as a number, `true` as a boolean, `a,b` (or the parameter repeated)
 * as a list. Only here is text converted; bodies say their types themselves. An empty parameter is one not given, so
 * that a form may send all of its fields.
 */
export function queryReader(schema: TSchema): (raw: Raw) => Record<string, unknown> {
  const { properties = {} } = jsonSchema(schema)
  const defaults = Object.entries(properties).filter(([, { default: value }]) => value !== undefined)
  return raw => {
    const query: Record<string, unknown> = {}
    for (const name in raw) {
      const value = raw[name]
      if (value === undefined || value === '') continue
      query[name] = Object.hasOwn(properties, name) ? convert(properties[name]!, value) : value
    }
    for (const [name, { default: value }] of defaults) query[name] ??= value
    return query
  }
}

function convert(schema: JsonSchema, value: string | readonly string[]): unknown {
  if (isA(schema, 'array')) {
    const items = typeof value === 'string' ? value.split(',') : value
    return items.map(item => convert(schema.items ?? {}, item))
  }
  if (typeof value !== 'string') return value
  if (isA(schema, 'integer') || isA(schema, 'number')) return /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value
  if (isA(schema, 'boolean')) return value === 'true' ? true : value === 'false' ? false : value
  return value
}

const isA = (schema: JsonSchema, type: string): boolean =>
  [schema.type].flat().includes(type) || branches(schema).some(branch => isA(branch, type))
