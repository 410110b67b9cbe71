/** A schema with everything it refers to put in its place, for a validator that knows no document around it. */
export const inlined = <T>(document: unknown, schema: unknown): T =>
  JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value?.$ref === 'string' ? inlined(document, resolved(document, value.$ref)) : value,
  )

const resolved = (document: unknown, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce((inner, name) => (inner as Record<string, unknown>)[name], document)
