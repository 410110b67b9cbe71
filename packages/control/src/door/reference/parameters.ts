import { type JsonSchema, jsonSchema } from '../../schema/json-schema.ts'
import type { Route } from '../route.ts'
import type { NamedSchemas } from './schemas.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly style?: string
  readonly explode?: boolean
}

/** Headers that mean the same on every route. */
export const headerParameters: Readonly<Record<string, Parameter>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same key and body have one effect and get one answer, however often they are sent within a day.',
    schema: { type: 'string', maxLength: 255 } as JsonSchema,
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'Only if the object is still at this revision (its ETag); otherwise 412.',
    schema: { type: 'string' },
  },
  SteadRevision: {
    name: 'Stead-Revision',
    in: 'header',
    required: false,
    description: 'Answer with nothing older than this revision.',
    schema: { type: 'integer' },
  },
}

const scopeParameters: Readonly<Record<string, string>> = {
  organization: 'Id or name of the organization.',
  project: 'Id of the project, or `organization/name` with the slash percent-encoded.',
}

export function pathParameters({ path, scope, target, params }: Route): readonly Parameter[] {
  const described = params ? (jsonSchema(params).properties ?? {}) : {}
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const isTarget = target !== undefined && name === (target.param ?? target.kind)
    const description =
      name === scope ? scopeParameters[scope] : isTarget ? `Id or name of the ${target.kind}.` : undefined
    const { description: own, ...schema } = described[name!] ?? { type: 'string' }
    return { name: name!, in: 'path', required: true, ...describe(description ?? own), schema }
  })
}

export function queryParameters({ query }: Route, schemas: NamedSchemas): readonly Parameter[] {
  if (!query) return []
  const { properties = {}, required = [] } = jsonSchema(query)
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name) && schema.default === undefined,
    ...describe(description),
    schema: schemas.refer(schema),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
  }))
}

const describe = (description: string | undefined) => (description === undefined ? {} : { description })
