import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../errors/index.ts'
import { route } from '../route.ts'
import { inlined } from '../tests/inlined.ts'
import { shareHouse } from '../tests/shop.ts'
import { Widget } from '../tests/widgets.ts'
import { Html, html, prose } from './html.ts'
import { openApiDocument, tagOf } from './openapi.ts'
import { NamedSchemas } from './schemas.ts'

const openShop = shareHouse()
const widget = { kind: Widget.kind }

/** Every `$ref` in a document, wherever it is. */
const refsIn = (value: unknown): readonly string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => (name === '$ref' ? [inner as string] : refsIn(inner)))

describe('/openapi.json', () => {
  test('describes every route, with what it needs and how it refuses', async () => {
    const shop = await openShop()
    const { routes } = shop.house.door
    const { status, headers, body } = await shop.call('GET', '/openapi.json', { token: null })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(body.openapi).toBe('3.1.0')
    expect(routes.length).toBeGreaterThan(10)
    for (const { method, path, permission } of routes) {
      const operation = body.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      expect(operation, `${method} ${path}`).toMatchObject({ 'x-permission': permission })
      expect(operation.responses['500']).toEqual({ $ref: '#/components/responses/Problem' })
    }
    const ids = Object.values(body.paths).flatMap(methods =>
      Object.values(methods as object).map(each => each.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('refers only to what it holds, and what it holds are schemas', async () => {
    const shop = await openShop()
    const { body } = await shop.call('GET', '/openapi.json', { token: null })
    const refs = refsIn(body)
    expect(refs).toContain('#/components/schemas/Widget')
    for (const ref of refs) {
      const found = ref
        .slice(2)
        .split('/')
        .reduce((value, name) => value?.[name], body)
      expect(found, ref).toBeDefined()
    }
    for (const schema of Object.values(body.components.schemas))
      expect(() => Compile(inlined<TSchema>(body, schema))).not.toThrow()
  })

  test('tells clients how to write a widget, in the words that validate it', async () => {
    const shop = await openShop()
    const { body } = await shop.call('GET', '/openapi.json', { token: null })
    const { post } = body.paths['/v1/projects/{project}/widgets']
    const media = post.requestBody.content['application/json']
    expect(post.parameters.map(({ name, $ref }: { name?: string; $ref?: string }) => name ?? $ref)).toEqual([
      'project',
      '#/components/parameters/IdempotencyKey',
      '#/components/parameters/SteadRevision',
    ])
    const schema = Compile(inlined<TSchema>(body, media.schema))
    expect(schema.Check(media.example)).toBe(true)
    expect(schema.Check({ ...media.example, unknown: 1 })).toBe(false)
    const { get } = body.paths['/v1/projects/{project}/widgets']
    expect(get.parameters).toContainEqual({
      name: 'labels',
      in: 'query',
      required: false,
      description: expect.any(String),
      schema: expect.objectContaining({ type: 'array' }),
      style: 'form',
      explode: false,
    })
  })
})

test('says how else a route may answer: nothing new, in lines, without a body, and refused in its own way', () => {
  const quiet = { scope: 'platform', permission: 'public', summary: '' } as const
  const nothing = { handle: () => ({ status: 200 }) }
  const routes = [
    route({
      ...quiet,
      ...nothing,
      method: 'GET',
      path: '/v1/a/:widget',
      target: widget,
      replies: { 200: Widget.schema },
    }),
    route({ ...quiet, ...nothing, method: 'POST', path: '/v1/b', replies: { 302: Type.Null() }, refuses: ['gone'] }),
    route({
      ...{ ...quiet, ...nothing, method: 'GET', path: '/v1/c' },
      replies: { 200: Type.Object({}) },
      lines: { type: 'application/x-ndjson', schema: Type.Object({ n: Type.Integer() }) },
    }),
  ]
  const { paths } = openApiDocument(routes, 'test')
  expect(Object.keys(paths['/v1/a/{widget}']!.get!.responses)).toEqual(expect.arrayContaining(['304', '400', '409']))
  const { responses } = paths['/v1/b']!.post!
  expect(responses['302']).not.toHaveProperty('content')
  expect(responses).toHaveProperty('410')
  expect(paths['/v1/c']!.get!.responses['200']).toMatchObject({
    content: { 'application/json': {}, 'application/x-ndjson': { schema: { properties: { n: {} } } } },
  })
})

describe('/docs', () => {
  test('shows every route, and neither runs nor loads anything from elsewhere', async () => {
    const shop = await openShop()
    const { status, headers, body } = await shop.call('GET', '/docs', { token: null })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'")
    for (const { path } of shop.house.door.routes)
      expect(body).toContain(`<code>${path.replaceAll(/:(\w+)/g, '{$1}')}</code>`)
    expect(body).toContain('widgets:create')
    expect(body).not.toMatch(/<script|https?:\/\/|style=|\son\w+=/)
    const loads = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target!)
    expect(loads.filter(target => !/^(#|\/docs|\/openapi\.json)/.test(target))).toEqual([])
    expect((await shop.call('GET', '/docs/style.css', { token: null })).headers.get('content-type')).toContain(
      'text/css',
    )
  })

  test('has a place for each error, where the type of a problem leads', async () => {
    const shop = await openShop()
    const { body } = await shop.call('GET', '/docs/errors', { token: null })
    for (const code of Object.keys(catalogue)) expect(body).toContain(`id="${code}"`)
    const { body: problem } = await shop.call('GET', shop.widgets, { token: null })
    const led = await fetch(shop.house.url + problem.type, { redirect: 'manual' })
    expect([led.status, led.headers.get('location')]).toEqual([303, '/docs/errors#unauthenticated'])
    expect((await shop.call('GET', '/docs/errors/made_up', { token: null })).status).toBe(400)
  })

  test('shows what is written as code as code', () => {
    expect(prose('With `a<b` and `c`.')?.text).toBe('With <code>a&lt;b</code> and <code>c</code>.')
    expect(prose(undefined)).toBeUndefined()
  })

  test.each([
    ['/v1/projects/:project', 'project', 'projects'],
    ['/v1/projects/:project/widgets/:widget/paint', 'project', 'widgets'],
    ['/v1/organizations/:organization/service-accounts/:account/tokens', 'organization', 'service-accounts'],
    ['/v1/oidc/:provider/login', 'platform', 'oidc'],
    ['/v1/users/:user/password-reset', 'platform', 'users'],
    ['/v1/projects/:project/quota/check', 'project', 'quotas'],
    ['/docs/errors', 'platform', 'reference'],
  ] as const)('%s of a %s is about %s', (path, scope, tag) => expect(tagOf({ path, scope })).toBe(tag))

  test('cannot be written into by what it shows', () => {
    expect(html`<p title="${'"<script>'}">${['<b>', new Html('<i>kept</i>'), undefined, 3]}</p>`.text).toBe(
      '<p title="&quot;&lt;script&gt;">&lt;b&gt;<i>kept</i>3</p>',
    )
  })
})

test('two different schemas cannot have one title', () => {
  const schemas = new NamedSchemas()
  schemas.refer({ title: 'A', type: 'string' })
  expect(schemas.refer({ title: 'A', type: 'string' })).toEqual({ $ref: '#/components/schemas/A' })
  expect(() => schemas.refer({ title: 'A', type: 'integer' })).toThrow('two different schemas are titled A')
})
