import { hours } from '@stead/world'
import { expect, test } from 'vitest'
import { EventClient } from '../../door/tests/event-client.ts'
import { IdentityHouse } from '../tests/house.ts'

test('a token is shown once and kept only as a hash', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci', { role: 'reader' })
  expect(ci.token).toMatch(/^stead_[A-Za-z0-9_-]{64}$/)
  const read = await house.must(200, 'GET', `${ci.path}/tokens/${ci.tokenId}`)
  expect(Object.keys(read.spec).sort()).toEqual(['expiresAt', 'principal'])
  const kept = JSON.stringify(house.engine.cache.platform().get('token', ci.tokenId))
  const secret = ci.token.slice('stead_'.length + 22)
  expect(kept).not.toContain(secret)
  expect(JSON.stringify(read)).not.toContain(secret)
})

test('a repeated request with the same key gets the same token, sealed meanwhile', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci')
  const headers = { 'idempotency-key': 'once' }
  const first = await house.must(201, 'POST', `${ci.path}/tokens`, { body: {}, headers })
  const again = await house.must(201, 'POST', `${ci.path}/tokens`, { body: {}, headers })
  expect(again).toEqual(first)
  await house.must(200, 'GET', '/v1/whoami', { token: first.token })
})

test('a token expires, at most after a year, and is gone once revoked', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci', { role: 'reader' })
  for (const expiresIn of ['0s', '367d', 'soon', '-1h'])
    await house.must(422, 'POST', `${ci.path}/tokens`, { body: { expiresIn } })
  const other = await house.must(201, 'POST', `${ci.path}/tokens`, { body: { expiresIn: '48h' } })
  house.pass(hours(25))
  expect((await house.must(401, 'GET', '/v1/whoami', { token: ci.token })).detail).toBe('the token has expired')
  await house.must(200, 'GET', '/v1/whoami', { token: other.token })
  await house.must(202, 'DELETE', `${ci.path}/tokens/${other.metadata.id}`)
  await house.must(401, 'GET', '/v1/whoami', { token: other.token })
  await house.must(404, 'GET', `${ci.path}/tokens/${other.metadata.id}`)
})

test('a scope narrows a token to some permissions and one project', async () => {
  const house = await IdentityHouse.openWithAcme()
  const boss = await house.account('acme', 'boss', { role: 'org-admin' })
  const scope = { permissions: ['projects:read'], project: 'shop' }
  const { token } = await house.must(201, 'POST', `${boss.path}/tokens`, { body: { scope } })
  await house.must(200, 'GET', '/v1/projects/acme%2Fshop', { token })
  await house.must(403, 'PATCH', '/v1/projects/acme%2Fshop', { token, body: { displayName: 'x' } })
  await house.must(404, 'GET', '/v1/projects/acme%2Flab', { token })
  await house.must(404, 'GET', '/v1/organizations/acme', { token })
  const me = await house.must(200, 'GET', '/v1/whoami', { token })
  expect(me.credential.scope).toMatchObject({ permissions: ['projects:read'] })
})

test('nobody makes a token that may do more than they, not even with a narrowed token of their own account', async () => {
  const house = await IdentityHouse.openWithAcme()
  await house.account('acme', 'mighty', { role: 'org-admin' })
  await house.must(201, 'POST', '/v1/organizations/acme/roles', {
    body: {
      name: 'clerk',
      spec: { permissions: ['tokens:create', 'tokens:read', 'service-accounts:read', 'projects:read'] },
    },
  })
  const clerk = await house.account('acme', 'clerk', { role: 'clerk' })
  const tokens = (name: string) => `/v1/organizations/acme/service-accounts/${name}/tokens`
  const refused = await house.must(403, 'POST', tokens('mighty'), { token: clerk.token, body: {} })
  expect(refused.detail).toContain('this token would pass on what you do not hold')
  const scope = { permissions: ['projects:read'] }
  await house.must(201, 'POST', tokens('mighty'), { token: clerk.token, body: { scope } })

  const boss = await house.account('acme', 'boss', { role: 'org-admin' })
  const narrow = await house.must(201, 'POST', tokens('boss'), {
    token: boss.token,
    body: { scope: { permissions: ['tokens:create', 'service-accounts:read'] } },
  })
  await house.must(403, 'POST', tokens('boss'), { token: narrow.token, body: {} })
})

test('a token is found only under its own account', async () => {
  const house = await IdentityHouse.openWithAcme()
  const a = await house.account('acme', 'a')
  const b = await house.account('acme', 'b')
  await house.must(404, 'GET', `${a.path}/tokens/${b.tokenId}`)
  await house.must(404, 'DELETE', `${a.path}/tokens/${b.tokenId}`)
  expect((await house.must(200, 'GET', `${a.path}/tokens`)).items).toHaveLength(1)
})

test('the platform’s own account is meant on the platform, whatever accounts of organizations are named', async () => {
  const house = await IdentityHouse.openWithAcme()
  const acmes = await house.account('acme', 'ci')
  await house.must(201, 'POST', '/v1/service-accounts', { body: { name: 'ci' } })
  const own = await house.must(201, 'POST', '/v1/service-accounts/ci/tokens', { body: {} })
  await house.must(200, 'GET', `/v1/service-accounts/ci/tokens/${own.metadata.id}`)
  await house.must(404, 'GET', `/v1/service-accounts/ci/tokens/${acmes.tokenId}`)
  await house.must(404, 'DELETE', `/v1/service-accounts/${acmes.id}/tokens/${acmes.tokenId}`)
})

test('a disabled account has no rights until it is enabled again', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci', { role: 'reader' })
  await house.must(200, 'PATCH', ci.path, { body: { spec: { disabled: true } } })
  await house.must(401, 'GET', '/v1/projects/acme%2Fshop', { token: ci.token })
  await house.must(200, 'PATCH', ci.path, { body: { spec: { disabled: null } } })
  await house.must(200, 'GET', '/v1/projects/acme%2Fshop', { token: ci.token })
})

test('when a token was last used is told, to the minute', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci')
  const lastUse = async () => (await house.must(200, 'GET', `${ci.path}/tokens/${ci.tokenId}`)).status.lastUsedAt
  expect(await lastUse()).toBeNull()
  await house.must(200, 'GET', '/v1/whoami', { token: ci.token })
  const first = await lastUse()
  expect(Math.abs(Date.parse(first) - house.world.now())).toBeLessThan(60_000)
  await house.must(200, 'GET', '/v1/whoami', { token: ci.token })
  expect(await lastUse()).toBe(first)
  house.pass(hours(1))
  await house.must(200, 'GET', '/v1/whoami', { token: ci.token })
  expect(Date.parse(await lastUse()) - Date.parse(first)).toBeGreaterThanOrEqual(3_600_000)
})

for (const [what, take] of [
  ['its token is revoked', (house, { path, tokenId }) => house.must(202, 'DELETE', `${path}/tokens/${tokenId}`)],
  [
    'its account is disabled',
    (house, { path }) => house.must(200, 'PATCH', path, { body: { spec: { disabled: true } } }),
  ],
  ['its account is deleted', (house, { path }) => house.must(202, 'DELETE', path)],
  [
    'its grant is taken away',
    async house => {
      const { items } = await house.must(200, 'GET', '/v1/projects/acme%2Fshop/grants')
      return house.must(202, 'DELETE', `/v1/projects/acme%2Fshop/grants/${items[0].metadata.id}`)
    },
  ],
] as readonly [string, (house: IdentityHouse, account: { path: string; tokenId: string }) => Promise<unknown>][])
  test(`what a caller watches ends when ${what}`, async () => {
    const house = await IdentityHouse.openWithAcme()
    const ci = await house.account('acme', 'ci', { role: 'reader', project: 'shop' })
    const url = `${house.url}/v1/projects/acme%2Fshop/watch`
    const client = await EventClient.open(ci.token, url)
    expect(client.status).toBe(200)
    await take(house, ci)
    const end = await client.until(({ event }) => event === 'end')
    expect(end?.data).toMatchObject({ reason: 'rights_withdrawn' })
    await client.ended
  })
