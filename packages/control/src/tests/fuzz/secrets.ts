import { branches, type JsonSchema } from '../../schema/json-schema.ts'

/** The end of a secret is what is looked for: credentials begin with which one it is, and that is no secret. */
const tail = 16

/** Every secret that was ever issued or sent, and whether a text holds one. */
export class Secrets {
  /** By the end of it: where it is from. */
  readonly #known = new Map<string, string>()

  get size(): number {
    return this.#known.size
  }

  add(secret: string, origin: string): void {
    if (secret.length >= tail) this.#known.set(secret.slice(-tail), this.#known.get(secret.slice(-tail)) ?? origin)
  }

  /** Where the secrets that a text holds are from. */
  in(text: string): readonly string[] {
    const found = new Set<string>()
    for (const [run] of text.matchAll(/[\w-]{16,}/g))
      for (let at = 0; at + tail <= run.length; at++) {
        const origin = this.#known.get(run.slice(at, at + tail))
        if (origin !== undefined) found.add(origin)
      }
    return [...found]
  }
}

/** The values at the places that a schema marks as secret, with the name of the field. */
export function secretsAt(schema: JsonSchema, value: unknown, name = ''): readonly { name: string; value: string }[] {
  if (schema['x-secret']) return typeof value === 'string' ? [{ name, value }] : []
  const union = branches(schema)
  if (union.length > 0) return union.flatMap(branch => secretsAt(branch, value, name))
  if (Array.isArray(value)) return schema.items ? value.flatMap(item => secretsAt(schema.items!, item, name)) : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const described = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
    return described ? secretsAt(described, inner, key) : []
  })
}
