import type { TSchema } from 'typebox'
import { catalogue } from '../../errors/index.ts'
import { closed } from '../../schema/closed.ts'
import { type JsonSchema, jsonSchema } from '../../schema/json-schema.ts'
import type { Route } from '../route.ts'
import { headerParameters, type Parameter, pathParameters, queryParameters } from './parameters.ts'
import { NamedSchemas } from './schemas.ts'

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
  readonly security?: readonly object[]
  /** What a caller must hold, at which scope. */
  readonly 'x-permission': string
  readonly 'x-scope': string
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>

interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Content
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, unknown>>
  readonly [more: string]: unknown
}

/** The document that describes every route: made from the same schemas that validate. */
export function openApiDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const schemas = new NamedSchemas()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) }
  }
  const tags = [...new Set(routes.map(tagOf))].sort().map(name => ({ name }))
  const problem = schemas.refer(problemSchema)
  return {
    openapi: '3.1.0',
    info: { title: 'Stead', version, description: 'One control plane for every instance you run.' },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags,
    paths,
    components: {
      schemas: schemas.all(),
      parameters: headerParameters,
      headers: responseHeaders,
      responses: {
        Problem: {
          description: 'Refused: see code and suggestion.',
          content: { 'application/problem+json': { schema: problem } },
        },
      },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function operation(route: Route, schemas: NamedSchemas): Operation {
  const { method, path, summary, description, body, permission, scope, examples } = route
  const segments = path.split('/').map(segment => segment.replace(/^:/, '').replaceAll(/\W/g, '_'))
  return {
    operationId: [method.toLowerCase(), ...segments.filter(Boolean)].join('_'),
    summary,
    ...(description !== undefined && { description }),
    tags: [tagOf(route)],
    parameters: [...pathParameters(route), ...queryParameters(route, schemas), ...headersOf(route)],
    ...(body && { requestBody: requestBody(method, body, schemas, examples?.body) }),
    responses: { ...answers(route, schemas), ...refusals(route) },
    ...(permission === 'public' && { security: [] }),
    'x-permission': permission,
    'x-scope': scope,
  }
}

/** What a route is about: the first noun of its path that is not just where it happens. */
export function tagOf({ path }: Route): string {
  const segments = path.split('/').filter(segment => segment !== '' && segment !== 'v1')
  const own = segments[1]?.startsWith(':') && segments.length > 2 ? segments.slice(2) : segments
  return own[0]!.replace(/\..*$/, '')
}

function headersOf({ method, target, permission }: Route): readonly { readonly $ref: string }[] {
  const names = [
    ...(method === 'POST' ? ['IdempotencyKey'] : []),
    ...(target && method !== 'GET' ? ['IfMatch'] : []),
    ...(permission === 'public' ? [] : ['SteadRevision']),
  ]
  return names.map(name => ({ $ref: `#/components/parameters/${name}` }))
}

function requestBody(method: string, body: TSchema, schemas: NamedSchemas, example: unknown) {
  const schema = closed(jsonSchema(body))
  const media = { schema: schemas.refer(schema), ...(example !== undefined && { example }) }
  const isRequired = (schema.required ?? []).length > 0 || schema.anyOf !== undefined
  const content: Content =
    method === 'PATCH'
      ? { 'application/merge-patch+json': media, 'application/json': media }
      : { 'application/json': media }
  return { required: isRequired, content }
}

function answers({ replies, examples }: Route, schemas: NamedSchemas): Readonly<Record<string, Response>> {
  return Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => {
      const { contentMediaType = 'application/json', ...schema } = jsonSchema(reply) as JsonSchema & {
        contentMediaType?: string
      }
      const example = Number(status) < 300 ? examples?.reply : undefined
      const media = { schema: schemas.refer(schema), ...(example !== undefined && { example }) }
      const headers = { 'Stead-Revision': { $ref: '#/components/headers/SteadRevision' } }
      return [
        status,
        { description: descriptions[Number(status)] ?? 'Done.', headers, content: { [contentMediaType]: media } },
      ]
    }),
  )
}

const descriptions: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted: a controller does it.',
}

/** Every status a refusal of this route may have. */
function refusals({ method, permission, body, target, query, params }: Route): Operation['responses'] {
  const changes = method !== 'GET'
  const statuses = new Set<number>([404, 429, 500, 503])
  if (permission !== 'public') for (const status of [400, 401, 403]) statuses.add(status)
  if (body || query || params) statuses.add(400)
  if (changes) for (const status of [409, 413, 422]) statuses.add(status)
  if (changes && target) statuses.add(412)
  const listed = [...statuses].sort().map(status => [String(status), problemResponse])
  return { ...Object.fromEntries(listed), default: problemResponse }
}

const problemResponse = { $ref: '#/components/responses/Problem' }

const problemSchema: JsonSchema = {
  title: 'Problem',
  description: 'RFC 9457. Programs compare `code`. Some codes add members of their own.',
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'suggestion', 'traceId'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(catalogue) },
    detail: { type: 'string' },
    suggestion: { type: 'string', description: 'What to do next.' },
    errors: {
      type: 'array',
      description:
        'Each field that is wrong: by JSON pointer into the body, or `?query`, `:path`, or a header by name.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    traceId: { type: 'string' },
  },
}

const responseHeaders = {
  SteadRevision: {
    description: 'How new this answer is. Sent back as a request header, it makes any node answer at least as new.',
    schema: { type: 'integer' },
  },
}
