import type { TSchema } from 'typebox'
import { catalogue } from '../../errors/index.ts'
import { closed } from '../../schema/closed.ts'
import { type JsonSchema, jsonSchema } from '../../schema/json-schema.ts'
import { uploadType } from '../media-types.ts'
import type { Route } from '../route.ts'
import { headerParameters, type Parameter, pathParameters, queryParameters } from './parameters.ts'
import { NamedSchemas } from './schemas.ts'

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly description?: string; readonly required: boolean; readonly content: Content }
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
  const { method, path, summary, description, body, upload, socket, permission, scope, examples } = route
  const told = [description, socket].filter(each => each !== undefined).join(' ')
  const segments = path.split('/').map(segment => segment.replace(/^:/, '').replaceAll(/\W/g, '_'))
  return {
    operationId: [method.toLowerCase(), ...segments.filter(Boolean)].join('_'),
    summary,
    ...(told !== '' && { description: told }),
    tags: [tagOf(route)],
    parameters: [...pathParameters(route), ...queryParameters(route, schemas), ...headersOf(route)],
    ...(body && { requestBody: requestBody(method, body, schemas, examples?.body) }),
    ...(upload !== undefined && { requestBody: uploadBody(upload) }),
    responses: { ...answers(route, schemas), ...refusals(route) },
    ...(permission === 'public' && { security: [] }),
    'x-permission': permission,
    'x-scope': scope,
  }
}

/** What a route is about: the first noun of its path that is not just where it happens. */
export function tagOf({ path, scope }: Pick<Route, 'path' | 'scope'>): string {
  const [version, ...segments] = path.split('/').filter(segment => segment !== '')
  if (version !== 'v1') return 'reference'
  const isInPlace = scope !== 'platform' && segments.length > 2
  const noun = segments[isInPlace ? 2 : 0]!
  // `quota/check` asks whether something would fit into the quotas.
  return noun === 'quota' ? 'quotas' : noun
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

const uploadBody = (description: string) => ({
  description,
  required: true,
  content: { [uploadType]: { schema: { type: 'string', contentMediaType: uploadType } } },
})

function answers(
  { method, replies, lines, examples }: Route,
  schemas: NamedSchemas,
): Readonly<Record<string, Response>> {
  const headers = { 'Stead-Revision': { $ref: '#/components/headers/SteadRevision' } }
  const answered = Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => {
      const { contentMediaType = 'application/json', ...schema } = jsonSchema(reply) as JsonSchema & {
        contentMediaType?: string
      }
      const example = Number(status) < 300 ? examples?.reply : undefined
      const description = descriptions[Number(status)] ?? 'Done.'
      // An answer of `null` is one without a body.
      if (schema.type === 'null') return [status, { description, headers }]
      const media = { schema: schemas.refer(schema), ...(example !== undefined && { example }) }
      const inLines = lines && status === '200' && { [lines.type]: { schema: schemas.refer(jsonSchema(lines.schema)) } }
      return [status, { description, headers, content: { [contentMediaType]: media, ...inLines } }]
    }),
  )
  // One object, read by itself, has an ETag.
  const isOne = method === 'GET' && replies[200] && jsonSchema(replies[200]).properties?.metadata !== undefined
  return isOne ? { ...answered, 304: { description: descriptions[304]!, headers } } : answered
}

const descriptions: Readonly<Record<number, string>> = {
  101: 'A WebSocket.',
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted: a controller does it.',
  302: 'Go there.',
  303: 'It is there.',
  304: 'What If-None-Match names is what there is.',
}

/** Every status a refusal of this route may have. */
function refusals({ method, permission, target, refuses = [] }: Route): Operation['responses'] {
  const changes = method !== 'GET'
  const statuses = new Set<number>([400, 404, 429, 500, 503, ...refuses.map(code => catalogue[code].status)])
  if (permission !== 'public') for (const status of [401, 403]) statuses.add(status)
  if (changes) for (const status of [409, 413, 422]) statuses.add(status)
  // A name in the path may fit several.
  if (target) statuses.add(409)
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
