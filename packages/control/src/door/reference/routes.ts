import { catalogue, type ErrorCode } from '../../errors/index.ts'
import { Type } from '../../schema/type.ts'
import { type Reply, type Route, route } from '../route.ts'
import { style } from './html.ts'
import { type OpenApiDocument, openApiDocument } from './openapi.ts'
import { errorsHtml, referencePage } from './pages.ts'

const text = (type: string, content: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  text: content,
  headers: { 'content-type': `${type}; charset=utf-8`, ...more },
})

/** The pages run nothing, and load one style sheet from here. */
const pagePolicy = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-cache',
}

const anonymous = { method: 'GET', scope: 'platform', permission: 'public' } as const
const answer = (type: string) => ({ 200: Type.String({ contentMediaType: type }) })

/** The OpenAPI document and the pages made from it. Each is made when it is first asked for. */
export function referenceRoutes(routes: readonly Route[], version: string): readonly Route[] {
  const once = <T>(make: () => T) => {
    let made: T | undefined
    return () => (made ??= make())
  }
  const document = once((): OpenApiDocument => openApiDocument([...routes, ...own], version))
  const documentText = once(() => JSON.stringify(document()))
  const reference = once(() => referencePage(document()))
  const errors = once(errorsHtml)
  const own = [
    route({
      ...anonymous,
      path: '/openapi.json',
      summary: 'This API, described as OpenAPI 3.1',
      replies: { 200: Type.Object({}, { additionalProperties: true }) },
      handle: () => text('application/json', documentText(), { 'cache-control': 'no-cache' }),
    }),
    route({
      ...anonymous,
      path: '/docs',
      summary: 'The reference, to read',
      replies: answer('text/html'),
      handle: () => text('text/html', reference(), pagePolicy),
    }),
    route({
      ...anonymous,
      path: '/docs/style.css',
      summary: 'How the reference looks',
      replies: answer('text/css'),
      handle: () => text('text/css', style, { 'cache-control': 'no-cache' }),
    }),
    route({
      ...anonymous,
      path: '/docs/errors',
      summary: 'Every error: what it means and what to do',
      replies: answer('text/html'),
      handle: () => text('text/html', errors(), pagePolicy),
    }),
    route({
      ...anonymous,
      path: '/docs/errors/:code',
      summary: 'One error: where the `type` of a problem leads',
      params: Type.Object({ code: Type.Enum(Object.keys(catalogue) as ErrorCode[]) }),
      replies: { 303: Type.Null() },
      handle: ({ params }) => ({ status: 303, headers: { location: `/docs/errors#${params.code}` } }),
    }),
  ]
  return own
}
