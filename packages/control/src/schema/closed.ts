import { type JsonSchema, mapped } from './json-schema.ts'

/**
 * The same schema, refusing every field it does not name, at every depth. A misspelt field that is silently ignored is
 * a machine without the firewall its owner thinks it has, and a schema that forgot to say so must not let it through.
 * An object that says `additionalProperties` itself keeps what it says.
 */
export function closed(schema: JsonSchema): JsonSchema {
  const inner = mapped(schema, closed)
  const isObject = inner.properties !== undefined || inner.patternProperties !== undefined
  return isObject && inner.additionalProperties === undefined ? { ...inner, additionalProperties: false } : inner
}
