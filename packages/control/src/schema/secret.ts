import type { TSchema } from 'typebox'
import { jsonSchema, some } from './json-schema.ts'
import { type Shape, shapeOf } from './shape.ts'

/** Marks a field as secret: it is redacted wherever it would be logged, audited or shown as a difference. */
export const secret = <Schema extends TSchema>(schema: Schema): Schema => ({ ...schema, 'x-secret': true })

/** Whether what has this schema may hold secrets when it is answered: what is only ever written does not count. */
export const holdsSecrets = (schema: TSchema): boolean =>
  some(jsonSchema(schema), inner => inner['x-secret'] === true && inner.writeOnly !== true)

export const redacted = '[redacted]'

/** Makes copies of values with every secret field replaced, and without what the schema does not name. */
export const redactor = (schema: TSchema): Shape => shapeOf(jsonSchema(schema), { secrets: () => redacted })
