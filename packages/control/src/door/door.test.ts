import { changeSet } from '@stead/engine'
import { realWorld } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { openOwn, shareHouse } from './tests/shop.ts'
import { countKey } from './tests/widgets.ts'
import type { Witness } from './witness.ts'

const openShop = shareHouse()

describe('a widget', () => {
  test('is created, read by id and by name, listed, changed and deleted', async () => {
    const shop = await openShop()
    const { house } = shop
    const made = await shop.make('w1', { labels: { tier: 'web' } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      metadata: {
        name: 'w1',
        projectId: shop.ids.shop,
        labels: { tier: 'web' },
        generation: 1,
        createdBy: `usr_${shop.token}`,
      },
      spec: { size: 3 },
      status: { phase: 'pending' },
    })
    const { id, revision } = made.body.metadata
    expect(revision).toBe(house.cache.platform().get('widget', id)?.revision)
    for (const path of [`${shop.widgets}/${id}`, `/v1/projects/${shop.organization}%2Fshop/widgets/w1`]) {
      const read = await shop.call('GET', path)
      expect(read).toMatchObject({ status: 200, body: made.body })
      expect(read.headers.get('etag')).toBe(`"${revision}"`)
    }
    const changed = await shop.call('PATCH', `${shop.widgets}/w1`, {
      body: { spec: { size: 4 }, labels: { tier: null } },
    })
    expect(changed).toMatchObject({ status: 200, body: { metadata: { generation: 2, labels: {} }, spec: { size: 4 } } })
    expect(await shop.call('GET', `${shop.widgets}/w1`)).toMatchObject({ body: changed.body })
    const listed = await shop.call('GET', shop.widgets)
    expect(listed.body).toEqual({ items: [changed.body], nextCursor: null, total: 1, revision: house.cache.revision })
    expect(await shop.call('DELETE', `${shop.widgets}/w1`)).toMatchObject({ status: 202 })
    expect(await shop.call('GET', `${shop.widgets}/w1`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('is never shown with what its schema does not name', async () => {
    const shop = await openShop()
    const { house } = shop
    const made = await shop.make('w1')
    expect(house.cache.platform().get('widget', made.body.metadata.id)?.status).toHaveProperty('internal')
    for (const path of [shop.widgets, `${shop.widgets}/w1`])
      expect(JSON.stringify((await shop.call('GET', path)).body)).not.toContain('classified')
    expect(JSON.stringify(made.body)).not.toContain('classified')
  })

  test('whose name is taken is a conflict that charges nothing', async () => {
    const shop = await openShop()
    const { house } = shop
    await shop.make('w1')
    expect(await shop.make('w1')).toMatchObject({
      status: 409,
      body: { code: 'name_taken', status: 409, type: '/docs/errors/name_taken', errors: [{ path: '/name' }] },
    })
    expect(await house.store.counters(`quota/${shop.ids.shop}`)).toMatchObject([{ value: 1 }])
  })

  test('beyond the limit is refused, to exactly as many as are too many', async () => {
    const shop = await openShop()
    await shop.house.commit(changeSet(realWorld).limit(countKey(shop.ids.shop), 5))
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => shop.make(`w${index}`)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = answers.filter(({ status }) => status === 403)
    expect(refused).toHaveLength(15)
    expect(refused[0]!.body).toMatchObject({ code: 'quota_exceeded', kind: 'widgets', limit: 5, asked: 1 })
  })

  test('may be named by many at the same time: all changes land, none is told of the others', async () => {
    const shop = await openShop()
    await shop.make('w1')
    const patch = (index: number) =>
      shop.call('PATCH', `${shop.widgets}/w1`, { body: { labels: { [`key-${index}`]: 'x' } } })
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => patch(index)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(Object.keys((await shop.call('GET', `${shop.widgets}/w1`)).body.metadata.labels)).toHaveLength(6)
  })
})

describe('If-Match', () => {
  test('lets a change through only while the object is what the caller saw', async () => {
    const shop = await openShop()
    const { revision } = (await shop.make('w1')).body.metadata
    const patch = (size: number, tag: string) =>
      shop.call('PATCH', `${shop.widgets}/w1`, { body: { spec: { size } }, headers: { 'if-match': tag } })
    expect((await patch(4, `"${revision}"`)).status).toBe(200)
    expect(await patch(5, `"${revision}"`)).toMatchObject({ status: 412, body: { code: 'stale' } })
    expect((await patch(6, '*')).status).toBe(200)
    expect((await patch(7, 'nonsense')).status).toBe(412)
    expect((await shop.call('DELETE', `${shop.widgets}/w1`, { headers: { 'if-match': '"1"' } })).status).toBe(412)
  })

  test('lets exactly one of many through', async () => {
    const shop = await openShop()
    const { revision } = (await shop.make('w1')).body.metadata
    const patch = (size: number) =>
      shop.call('PATCH', `${shop.widgets}/w1`, { body: { spec: { size } }, headers: { 'if-match': `"${revision}"` } })
    const answers = await Promise.all([11, 12, 13, 14, 15].map(patch))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412])
  })

  test('a client that has the newest need not be sent it again', async () => {
    const shop = await openShop()
    const { revision } = (await shop.make('w1')).body.metadata
    const read = (tag: string) => shop.call('GET', `${shop.widgets}/w1`, { headers: { 'if-none-match': tag } })
    expect(await read(`"${revision}"`)).toMatchObject({ status: 304, body: '' })
    expect((await read('"1"')).status).toBe(200)
  })
})

describe('who may not', () => {
  test('is refused before anything of the request is looked at', async () => {
    const shop = await openShop()
    const { house } = shop
    for (const token of [null, 'unknown']) {
      const answer = await shop.call('POST', shop.widgets, { token, body: '{ not json' })
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
    await house.grant(`reader-${shop.token}`, shop.ids.shop, ['projects:read', 'widgets:read'])
    expect(await shop.call('POST', shop.widgets, { token: `reader-${shop.token}`, body: '{ not json' })).toMatchObject({
      status: 403,
      body: { code: 'forbidden', permission: 'widgets:create', detail: expect.stringContaining('widgets:create') },
    })
    await house.grant(`stranger-${shop.token}`, shop.ids.lab, ['projects:read', 'widgets:read', 'widgets:create'])
    expect(
      await shop.call('POST', shop.widgets, { token: `stranger-${shop.token}`, body: '{ not json' }),
    ).toMatchObject({
      status: 404,
    })
  })

  test('cannot tell what is hidden from what is not there', async () => {
    const shop = await openShop()
    const ask = async (project: string, name: string) => {
      const { status, body } = await shop.call('GET', `/v1/projects/${project}/widgets/${name}`)
      const { traceId: _traceId, ...rest } = body
      return JSON.stringify({ status, rest }).replaceAll(decodeURIComponent(project), 'THAT')
    }
    const hidden = await ask(shop.ids.secretive, 'w1')
    expect(hidden).toContain('"status":404')
    expect(await ask('pro_00000000-0000-7000-8000-000000000000', 'w1')).toBe(hidden)
    expect(await ask(`not-${shop.organization}%2Fsecretive`, 'w1')).toBe(hidden)
    expect(await ask(`not-${shop.organization}%2Fnothing`, 'w1')).toBe(hidden)
    expect(await ask('nobody%2Fnothing', 'w1')).toBe(hidden)
    expect(await ask('a%2Fb%2Fc', 'w1')).toBe(hidden)
  })

  test("cannot reach another project's object through one of their own", async () => {
    const shop = await openShop()
    const { house } = shop
    await house.grant(`lab-${shop.token}`, shop.ids.lab, ['projects:read', 'widgets:read'])
    const { id } = (await shop.make('w1')).body.metadata
    expect(
      (await shop.call('GET', `/v1/projects/${shop.ids.lab}/widgets/${id}`, { token: `lab-${shop.token}` })).status,
    ).toBe(404)
  })

  test('a grant on an organization reaches into its projects, and no further', async () => {
    const shop = await openShop()
    const { house } = shop
    await house.grant(`boss-${shop.token}`, shop.ids.organization, ['projects:read', 'widgets:read'])
    const list = (project: string) =>
      shop.call('GET', `/v1/projects/${project}/widgets`, { token: `boss-${shop.token}` })
    expect((await list(shop.ids.shop)).status).toBe(200)
    expect((await list(`${shop.organization.toUpperCase()}%2FLab`)).status).toBe(200)
    expect((await list(shop.ids.secretive)).status).toBe(404)
  })
})

describe('a request that is wrong', () => {
  test('is told everything that is wrong with it at once', async () => {
    const shop = await openShop()
    const answer = await shop.call('POST', `${shop.widgets}?dry=true`, {
      body: { name: 'Not A Name', spec: { size: 0, colour: 'red' } },
    })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(answer.body).toMatchObject({ code: 'invalid_request', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      '?dry',
      '/name',
      '/spec/colour',
      '/spec/size',
    ])
  })

  test('is not quoted, neither to the caller nor in the log', async () => {
    const shop = await openShop()
    const { house } = shop
    const requests = [
      ['{"name": "w1", "password": hunter2}', 'application/json'],
      ['{"name": "hunter2", "spec": {"size": "hunter2", "hunter": "hunter2"}}', 'application/json'],
      ['hunter2', 'text/plain'],
      ['{"name":"a\\u0000hunter2"}', 'application/json'],
    ] as const
    for (const [body, type] of requests) {
      const answer = await shop.call('POST', shop.widgets, { body, headers: { 'content-type': type } })
      expect(answer.status).toBe(400)
      expect(JSON.stringify(answer.body)).not.toContain('hunter2')
    }
    expect(house.lines.length).toBeGreaterThanOrEqual(requests.length)
    expect(house.lines.join()).not.toContain('hunter2')
  })

  test('a path that is no route is an answer like any other', async () => {
    const shop = await openShop()
    expect(await shop.call('GET', '/v1/nothing?token=hunter2')).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: 'there is no GET /v1/nothing' },
    })
    expect((await shop.call('GET', '/v1/%zz')).body).toMatchObject({ code: 'invalid_request', status: 400 })
    expect((await shop.call('PUT', shop.widgets)).status).toBe(404)
  })
})

test('a bug says nothing of itself but where to find it', async () => {
  const shop = await openShop()
  const { house } = shop
  for (const how of ['throw', 'status', 'schema', 'commit', 'twice']) {
    const { status, body } = await shop.call('POST', `/v1/projects/${shop.ids.shop}/break/${how}`)
    expect(status).toBe(500)
    expect(body).toEqual({
      type: '/docs/errors/internal',
      title: 'Internal error',
      status: 500,
      code: 'internal',
      detail: 'something went wrong that should not have',
      suggestion: 'this is a bug: report it with the traceId',
      traceId: body.traceId,
    })
    const line = house.lines.find(each => each.includes('"error"') && each.includes(body.traceId))
    expect(line).toContain('"level":"error"')
  }
})

test('a store that is away is not a bug: callers are told to come back', async () => {
  const shop = await openOwn()
  await shop.house.store.close()
  const answer = await shop.make('w1')
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(shop.house.lines.some(line => line.includes('"level":"warn"') && line.includes(answer.body.traceId))).toBe(
    true,
  )
})

test('a witness sees every act: changes in the same write, everything else when it has ended', async () => {
  const seen: string[] = []
  const witness: Witness = {
    ofChange({ route, caller, place, targetId }, { puts }) {
      const subject = targetId ?? puts[0]!.id
      const scope = place.type === 'project' ? place.projectId : 'platform'
      return [{ table: 'audit', subject, scope, body: { act: `${caller.displayName} ${route.method}` } }]
    },
    ended: ({ route, caller }, { status, code, hasChanged }) =>
      seen.push(`${caller.displayName} ${route.method} ${status} ${code ?? '-'} ${hasChanged}`),
    closed: () => {},
  }
  const shop = await openOwn({ witness })
  const { id } = (await shop.make('w1')).body.metadata
  await shop.make('w1')
  await shop.call('DELETE', `${shop.widgets}/w1`)
  await shop.call('GET', shop.widgets, { token: null })
  const lines = await shop.house.store.records({ table: 'audit', scope: shop.ids.shop, after: 0, limit: 10 })
  expect(lines.map(({ subject, body }) => [subject, body])).toEqual([
    [id, { act: `${shop.token} POST` }],
    [id, { act: `${shop.token} DELETE` }],
  ])
  await expect
    .poll(() => seen)
    .toEqual([
      `${shop.token} POST 201 - true`,
      `${shop.token} POST 409 name_taken false`,
      `${shop.token} DELETE 202 - true`,
      'nobody GET 401 unauthenticated false',
    ])
})

describe('every answer', () => {
  test('carries the trace, the revision and what keeps browsers careful', async () => {
    const shop = await openShop()
    const { house } = shop
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    const answers = [
      await shop.call('GET', shop.widgets, { headers }),
      await shop.call('GET', shop.widgets, { headers, token: null }),
      await shop.call('GET', '/v1/nothing', { headers }),
    ]
    for (const answer of answers) {
      expect(answer.headers.get('traceparent')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
      expect(answer.headers.get('stead-revision')).toBe(String(house.cache.revision))
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect(answers[1]!.body.traceId).toBe(traceId)
  })

  test('is as new as what the caller says to have seen, or is none', async () => {
    const shop = await openShop()
    const { house } = shop
    const read = (revision: string) => shop.call('GET', shop.widgets, { headers: { 'stead-revision': revision } })
    const next = house.cache.revision + 1
    const waiting = read(String(next))
    await shop.make('w1')
    expect((await waiting).body.total).toBe(1)
    expect((await waiting).body.revision).toBeGreaterThanOrEqual(next)
    expect(await read('yesterday')).toMatchObject({ status: 400, body: { errors: [{ path: 'Stead-Revision' }] } })
  })
})
