import { defineProvider, type Provider } from '@stead/provider-kit'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { openRegionHouse, simulatedCloud } from '../tests/region-house.ts'

const patience = { interval: 20 }

test('a region is healthy once its backend has answered, and says what it can do', async () => {
  const { house, region } = await openRegionHouse(simulatedCloud({ profile: { capacity: 7 } }))
  await region('east')
  const read = (token = house.admin) => house.must(200, 'GET', '/v1/regions/east', { token })
  await expect.poll(async () => (await read()).status.health, patience).toBe('healthy')
  const { status, metadata } = await read()
  expect(status.capabilities).toContain('networks')
  expect(status.sources).toEqual(['machine', 'services'])
  expect(status).toMatchObject({
    since: expect.any(String),
    checkedAt: expect.any(String),
    latencyMs: expect.any(Number),
    capacity: { servers: { total: 7, used: 0 } },
  })
  // How full it is tells of other tenants.
  const tenant = await house.account('acme', 'robot', { role: 'org-admin' })
  expect((await read(tenant.token)).status.capacity).toBeUndefined()
  const { items } = await house.must(200, 'GET', '/v1/regions/east/events')
  expect(items).toMatchObject([{ reason: 'Healthy', level: 'info' }])
  // A wake for no reason asks again and writes nothing.
  const { metadata: woken } = await house.must(200, 'PATCH', '/v1/regions/east', { body: { labels: { a: 'b' } } })
  await expect.poll(async () => (await read()).status.checkedAt, patience).not.toBe(status.checkedAt)
  expect((await read()).metadata.revision).toBe(woken.revision)
  expect(woken.revision).toBeGreaterThan(metadata.revision)
})

test('why it is not healthy is said in words for tenants, and it is healthy again when that is over', async () => {
  const { house, cloud, region } = await openRegionHouse()
  await region('east', { credentials: { key: 'not-a-key' } })
  const status = async () => (await house.must(200, 'GET', '/v1/regions/east')).status
  const reason = 'the backend does not accept the credentials of this region'
  await expect.poll(async () => (await status()).reason, patience).toBe(reason)
  expect((await status()).health).toBe('unhealthy')
  await house.must(200, 'PATCH', '/v1/regions/east', { body: { spec: { credentials: { key: 'simulated' } } } })
  await expect.poll(async () => (await status()).health, patience).toBe('healthy')
  expect((await status()).reason).toBeUndefined()
  const over = cloud.outage({ kind: 'outage' })
  await house.must(200, 'PATCH', '/v1/regions/east', { body: { labels: { look: 'now' } } })
  await expect.poll(async () => (await status()).reason, patience).toBe('the backend does not answer')
  over()
  await expect.poll(async () => (await status()).health, patience).toBe('healthy')
  const { items } = await house.must(200, 'GET', '/v1/regions/east/events')
  expect(items.map((item: { reason: string }) => item.reason)).toEqual(['Healthy', 'Unhealthy', 'Healthy', 'Unhealthy'])
})

test('a region whose backend never answers holds up nothing else', async () => {
  let asked = 0
  const never = () => {
    asked++
    return new Promise<never>(() => {})
  }
  const hanging = (kind: string, connect: () => Promise<Provider>) =>
    defineProvider({ kind, configuration: Type.Object({}), credentials: Type.Object({}), connect })
  const { house, region } = await openRegionHouse(simulatedCloud(), {
    providers: [
      hanging('deaf', never),
      hanging('mute', async () => ({ catalog: never, close: async () => {} }) as unknown as Provider),
    ],
  })
  for (const provider of ['deaf', 'mute'])
    for (const name of ['a', 'b', 'c'])
      await house.must(201, 'POST', '/v1/regions', { body: { name: `${provider}-${name}`, spec: { provider } } })
  await expect.poll(() => asked, patience).toBe(6)
  await region('well')
  const health = async (name: string) => (await house.must(200, 'GET', `/v1/regions/${name}`)).status.health
  await expect.poll(() => health('well'), patience).toBe('healthy')
  // All six calls are still under way: whatever waits for them would not be answered.
  const paths = ['/v1/regions', '/v1/regions/deaf-a', '/v1/projects', '/v1/organizations/acme', '/v1/whoami']
  for (const path of paths) await house.must(200, 'GET', path)
  await house.project('acme', 'made-meanwhile')
  await house.must(202, 'DELETE', '/v1/regions/mute-a')
  await house.gone('/v1/regions/mute-a')
  expect(asked).toBe(6)
  expect(await health('deaf-a')).toBe('unknown')
})
