import { canonicalJson } from '@stead/engine'
import { branches, type JsonSchema, mapped } from '../../schema/json-schema.ts'

/**
 * The schemas of the document that have a name (`title`), each once: what refers to one says `$ref`, so that clients
 * generated from the document have a type for it.
 */
export class NamedSchemas {
  readonly #schemas = new Map<string, JsonSchema>()

  /** The schema as the document shows it. */
  refer(schema: JsonSchema): JsonSchema {
    const shown = simplified(mapped(schema, inner => this.refer(inner)))
    const { title } = shown
    if (title === undefined) return shown
    const known = this.#schemas.get(title)
    if (known && canonicalJson(known) !== canonicalJson(shown))
      throw new Error(`two different schemas are titled ${title}`)
    this.#schemas.set(title, shown)
    return { $ref: `#/components/schemas/${title}` }
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** A union of constants is shown as what it is: an enumeration. */
function simplified(schema: JsonSchema): JsonSchema {
  const union = branches(schema)
  if (union.length === 0 || !union.every(branch => typeof branch.const === 'string')) return schema
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema
  return { ...rest, type: 'string', enum: union.map(branch => branch.const) }
}
