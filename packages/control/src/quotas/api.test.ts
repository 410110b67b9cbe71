import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'

const of = (quotas: { kind: string }[], kind: string) => quotas.find(quota => quota.kind === kind)

test('projects are charged to their organization from create until they are gone', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  const path = '/v1/organizations/acme/quotas'
  await house.must(200, 'PUT', path, { body: { limits: { projects: 2 } } })
  await house.project('acme', 'one')
  const two = await house.project('acme', 'two')
  expect(of((await house.must(200, 'GET', path)).quotas, 'projects')).toEqual({
    kind: 'projects',
    limit: 2,
    used: 2,
    source: 'organization',
    available: 0,
    organization: { limit: 2, used: 2 },
  })
  expect(await house.must(403, 'POST', '/v1/organizations/acme/projects', { body: { name: 'three' } })).toMatchObject({
    code: 'quota_exceeded',
    kind: 'projects',
    level: 'organization',
    limit: 2,
    used: 2,
    asked: 1,
  })
  await house.must(202, 'DELETE', '/v1/projects/acme%2Fone')
  await house.gone('/v1/projects/acme%2Fone')
  await house.project('acme', 'three')
  // A name that is taken is told before a limit is.
  expect((await house.call('POST', '/v1/organizations/acme/projects', { body: { name: 'two' } })).body.code).toBe(
    'name_taken',
  )
  await house.must(202, 'DELETE', '/v1/organizations/acme?cascade=true')
  await house.gone('/v1/organizations/acme')
  expect(await house.store.counters(`quota/${two.metadata.organizationId}/`)).toMatchObject([{ value: 0 }])
  expect(house.engine.cache.platform().list({ kind: 'allocation' }).total).toBe(1)
  expect(await house.must(200, 'GET', '/v1/system/quotas/drift')).toEqual({ drift: [], repaired: false })
})

test('200 projects at once at a limit of 50: exactly 50 are made, and deleting them brings use to 0', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  await house.must(200, 'PUT', '/v1/organizations/acme/quotas', { body: { limits: { projects: 50 } } })
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      house.call('POST', '/v1/organizations/acme/projects', { body: { name: `p${n}` } }),
    ),
  )
  const made = answers.filter(({ status }) => status === 201)
  expect(made).toHaveLength(50)
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
    new Set(['quota_exceeded']),
  )
  await Promise.all(made.map(({ body }) => house.must(202, 'DELETE', `/v1/projects/${body.metadata.id}`)))
  for (const { body } of made) await house.gone(`/v1/projects/${body.metadata.id}`)
  const { quotas } = await house.must(200, 'GET', '/v1/organizations/acme/quotas')
  expect(of(quotas, 'projects')).toMatchObject({ used: 0, available: 50 })
  expect((await house.must(200, 'GET', '/v1/system/quotas/drift')).drift).toEqual([])
})

test('limits are set on organizations and projects, the nearest is shown, and both count', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  await house.project('acme', 'shop')
  const project = '/v1/projects/acme%2Fshop'
  await house.must(200, 'PUT', '/v1/organizations/acme/quotas', { body: { limits: { instances: 5, gpus: 1 } } })
  const { quotas } = await house.must(200, 'PUT', `${project}/quotas`, { body: { limits: { instances: 10 } } })
  expect(await house.must(200, 'GET', `${project}/quotas`)).toEqual({ quotas })
  expect(of(quotas, 'instances')).toMatchObject({ limit: 10, used: 0, source: 'project', available: 5 })
  expect(of(quotas, 'gpus')).toMatchObject({ limit: 1, source: 'organization', available: 1 })
  expect(of(quotas, 'fleets')).toMatchObject({ limit: null, source: null, available: null })
  const check = (body: object) => house.must(200, 'POST', `${project}/quota/check`, { body })
  expect(await check({})).toEqual({ fits: true, blocking: [] })
  expect(await check({ instances: 5, gpus: 1, fleets: 1_000_000 })).toEqual({ fits: true, blocking: [] })
  expect(await check({ instances: 11, gpus: 2 })).toEqual({
    fits: false,
    blocking: [
      { kind: 'instances', level: 'project', limit: 10, used: 0, asked: 11 },
      { kind: 'instances', level: 'organization', limit: 5, used: 0, asked: 11 },
      { kind: 'gpus', level: 'organization', limit: 1, used: 0, asked: 2 },
    ],
  })
  await house.must(200, 'PUT', `${project}/quotas`, { body: { limits: { instances: null } } })
  expect(of((await house.must(200, 'GET', `${project}/quotas`)).quotas, 'instances')).toMatchObject({
    limit: 5,
    source: 'organization',
  })
})

test.each([{ bananas: 1 }, { instances: -1 }, { instances: 1.5 }, { instances: '5' }, { instances: 1e300 }])(
  'what is no limit is refused: %j',
  async limits => {
    const house = await IdentityHouse.open()
    const { body, status } = await house.call('PUT', '/v1/organizations/default/quotas', { body: { limits } })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' })
  },
)

test('who runs an organization cannot raise its limits, only those of its projects', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  await house.project('acme', 'shop')
  const { token } = await house.account('acme', 'boss', { role: 'org-admin' })
  const body = { limits: { instances: 1_000 } }
  expect(await house.must(403, 'PUT', '/v1/organizations/acme/quotas', { token, body })).toMatchObject({
    code: 'forbidden',
    permission: 'quotas:limit',
  })
  await house.must(200, 'PUT', '/v1/projects/acme%2Fshop/quotas', { token, body })
})

test('a project with limits of its own ends like any other', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  await house.project('acme', 'shop')
  await house.must(200, 'PUT', '/v1/projects/acme%2Fshop/quotas', { body: { limits: { instances: 1 } } })
  await house.must(202, 'DELETE', '/v1/projects/acme%2Fshop')
  await house.gone('/v1/projects/acme%2Fshop')
  expect(house.engine.cache.platform().list({ kind: 'quota' }).total).toBe(0)
})
