import { ProviderError } from '@stead/provider-kit'
import { millis } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { secretKey } from '../regions/tests/region-house.ts'
import { openNetworkHouse, shop } from './tests/network-house.ts'

test('a network is made in its region, charged, and gone without a trace when it is deleted', async () => {
  const { house, cloud, sky, network, until, used } = await openNetworkHouse()
  const made = await network('n1', '10.20.0.0/24')
  expect(made).toMatchObject({
    metadata: { name: 'n1' },
    spec: { region: sky.metadata.id, cidr: '10.20.0.0/24' },
    status: { state: 'pending' },
  })
  expect(await until('networks/n1', 'ready')).toMatchObject({ status: { observedGeneration: 1 } })
  const { networks } = cloud.account()
  expect([...networks.roster].map(each => each.view())).toMatchObject([
    {
      name: 'n1',
      cidr: '10.20.0.0/24',
      tags: { 'stead.resource-id': made.metadata.id, 'stead.region-id': sky.metadata.id, 'stead.managed-by': 'stead' },
    },
  ])
  expect(await used('networks')).toBe(1)
  const events = await house.must(200, 'GET', `${shop}/networks/n1/events`)
  expect(events.items.map(({ reason }: { reason: string }) => reason)).toEqual(['Ready', 'Created'])
  expect((await house.must(202, 'DELETE', `${shop}/networks/n1`)).status.state).toBe('deleting')
  await house.gone(`${shop}/networks/n1`)
  expect([...networks.roster]).toEqual([])
  expect(await used('networks')).toBe(0)
  expect(house.engine.cache.platform().list({ kind: 'address-plan' }).items).toEqual([])
  await network('n1', '10.20.0.0/24')
})

test('what is settled writes nothing', async () => {
  const { house, network, until } = await openNetworkHouse()
  await network('n1', '10.20.0.0/24')
  const { metadata } = await until('networks/n1', 'ready')
  await house.world.sleep(millis(300))
  expect((await house.must(200, 'GET', `${shop}/networks/n1`)).metadata.revision).toBe(metadata.revision)
})

test('a name is taken once, case and race notwithstanding', async () => {
  const { house, used } = await openNetworkHouse()
  const ask = (n: number) =>
    house.call('POST', `${shop}/networks`, {
      body: { name: 'n1', spec: { region: 'sky', cidr: `10.0.${n}.0/24` } },
    })
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(n)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)])
  expect(answers.find(({ status }) => status === 409)!.body.code).toBe('name_taken')
  expect(await used('networks')).toBe(1)
})

test('of networks that overlap, in one project and region, one is made, however many are asked for at once', async () => {
  const { house, used, region, make } = await openNetworkHouse()
  const cidrs = ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '10.0.0.0/9', '10.1.2.128/25']
  const answers = await Promise.all(
    cidrs.map((cidr, n) =>
      house.call('POST', `${shop}/networks`, { body: { name: `n${n}`, spec: { region: 'sky', cidr } } }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(1)
  const { items } = await house.must(200, 'GET', `${shop}/networks`)
  // Those that were made have no address in common: all others hold 10.1.2.128/25 or lie in 10.0.0.0/9.
  expect(items.length).toBe(await used('networks'))
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.length).toBeGreaterThanOrEqual(4)
  for (const { status, body } of refused) {
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'invalid', errors: [{ path: '/spec/cidr' }] })
    expect(body.detail).toMatch(/overlaps with 10\.[\d./]+ of network n\d/)
  }
  await region('other')
  await make('networks', 'elsewhere', { region: 'other', cidr: '10.0.0.0/8' })
  await house.must(201, 'POST', '/v1/projects/globex%2Fshop/networks', {
    body: { name: 'theirs', spec: { region: 'sky', cidr: '10.0.0.0/8' } },
  })
})

test.each([
  ['10.20.0.5/24', 'did you mean 10.20.0.0/24?'],
  ['10.20.0.0/30', 'must be between /8 and /29'],
  ['0.0.0.0/0', 'must be between /8 and /29'],
  ['fd00::/64', 'must be a range of IPv4 addresses'],
  ['ten', 'must be a range of IPv4 addresses'],
])('%s is refused with what is wrong', async (cidr, message) => {
  const { network } = await openNetworkHouse()
  const refused = await network('n1', cidr, 422)
  expect(refused).toMatchObject({ code: 'invalid', errors: [{ path: '/spec/cidr' }] })
  expect(refused.errors[0].message).toContain(message)
})

test('where it is and what addresses it has never change; labels do', async () => {
  const { house, network, sky } = await openNetworkHouse()
  await network('n1', '10.20.0.0/24')
  const path = `${shop}/networks/n1`
  await house.must(422, 'PATCH', path, { body: { spec: { cidr: '10.21.0.0/24' } } })
  const body = { labels: { tier: 'web' }, spec: { region: 'sky', cidr: '10.20.0.0/24' } }
  expect(await house.must(200, 'PATCH', path, { body })).toMatchObject({
    metadata: { labels: { tier: 'web' }, generation: 1 },
    spec: { region: sky.metadata.id },
  })
  expect((await house.must(200, 'GET', `${shop}/networks?labels=tier=web&region=sky`)).total).toBe(1)
  await house.must(404, 'GET', `${shop}/networks?region=nowhere`)
})

test('no region is named: the default is meant', async () => {
  const { make, sky } = await openNetworkHouse()
  const { spec } = await make('networks', 'n1', { cidr: '10.20.0.0/24' })
  expect(spec.region).toBe(sky.metadata.id)
})

test('whoever may make networks and not read them is not told of those there are', async () => {
  const { house, network } = await openNetworkHouse()
  await network('secret', '10.0.0.0/24')
  await house.must(201, 'POST', '/v1/organizations/acme/roles', {
    body: { name: 'blind', spec: { permissions: ['networks:create'] } },
  })
  const { token } = await house.account('acme', 'robot', { role: 'blind', project: 'shop' })
  const body = { name: 'n2', spec: { region: 'sky', cidr: '10.0.0.0/16' } }
  expect(JSON.stringify(await house.must(422, 'POST', `${shop}/networks`, { token, body }))).not.toContain('secret')
})

test('a region that takes nothing new or is not for this organization: refused', async () => {
  const { house, region, network, make } = await openNetworkHouse()
  const { metadata } = await house.must(200, 'GET', '/v1/organizations/globex')
  await region('theirs', { organizations: [metadata.id] })
  expect(await make('networks', 'n1', { region: 'theirs', cidr: '10.0.0.0/24' }, 404)).toMatchObject({
    code: 'not_found',
  })
  await house.must(200, 'PATCH', '/v1/regions/sky', { body: { spec: { mode: 'draining' } } })
  expect(await network('n1', '10.0.0.0/24', 409)).toMatchObject({
    code: 'invalid_state',
    detail: 'the region sky is being drained, and takes nothing new',
  })
})

test('a quota is kept', async () => {
  const { house, network } = await openNetworkHouse()
  await house.must(200, 'PUT', `${shop}/quotas`, { body: { limits: { networks: 1 } } })
  await network('n1', '10.0.0.0/24')
  expect(await network('n2', '10.0.1.0/24', 403)).toMatchObject({ code: 'quota_exceeded' })
})

test('a region with networks is not deleted, and a project takes its own with it', async () => {
  const { house, cloud, network, make, until } = await openNetworkHouse()
  await network('n1', '10.0.0.0/24')
  await make('security-groups', 'web', { network: 'n1', rules: [] })
  await until('security-groups/web', 'ready')
  expect(await house.must(409, 'DELETE', '/v1/regions/sky')).toMatchObject({ code: 'in_use' })
  expect(await house.must(409, 'DELETE', shop)).toMatchObject({
    code: 'in_use',
    detail: 'this project still has 1 security-group, 1 network',
  })
  await house.must(202, 'DELETE', `${shop}?cascade=true`)
  await house.gone(shop)
  const { networks, securityGroups } = cloud.account()
  expect([...networks.roster, ...securityGroups.roster]).toEqual([])
})

test('in maintenance nothing is done, and all of it when that is over', async () => {
  const { house, cloud, network, until } = await openNetworkHouse()
  await network('n1', '10.0.0.0/24')
  await until('networks/n1', 'ready')
  await house.must(200, 'PATCH', '/v1/regions/sky', { body: { spec: { mode: 'maintenance' } } })
  await house.must(202, 'DELETE', `${shop}/networks/n1`)
  await house.world.sleep(millis(300))
  expect([...cloud.account().networks.roster].length).toBe(1)
  await house.must(200, 'PATCH', '/v1/regions/sky', { body: { spec: { mode: 'active' } } })
  await house.gone(`${shop}/networks/n1`)
})

test('what vanishes outside is told, and is neither made again nor in the way of its end', async () => {
  const { house, cloud, network, until } = await openNetworkHouse()
  await network('n1', '10.0.0.0/24')
  await until('networks/n1', 'ready')
  const { networks } = cloud.account()
  const [real] = networks.roster
  networks.remove(real!.id)
  await house.must(200, 'PATCH', `${shop}/networks/n1`, { body: { labels: { looked: 'at' } } })
  const lost = await until('networks/n1', 'lost')
  expect(lost.status).toMatchObject({
    reason: expect.stringContaining('gone'),
    conditions: [{ type: 'Lost', status: 'true' }],
  })
  const { items } = await house.must(200, 'GET', `${shop}/networks/n1/events`)
  expect(items[0]).toMatchObject({ level: 'warning', reason: 'Lost' })
  await house.must(200, 'PATCH', `${shop}/networks/n1`, { body: { labels: { looked: 'twice' } } })
  await house.world.sleep(millis(100))
  expect([...networks.roster]).toEqual([])
  await house.must(202, 'DELETE', `${shop}/networks/n1`)
  await house.gone(`${shop}/networks/n1`)
})

test('what the region refuses for good is told with its reason, and can be deleted', async () => {
  const { house, cloud, network, until, used } = await openNetworkHouse()
  const { networks } = cloud.account()
  const create = vi.spyOn(networks, 'create').mockImplementation(() => {
    throw new ProviderError('InvalidConfig', 'this range is reserved here')
  })
  await network('n1', '10.0.0.0/24')
  const failed = await until('networks/n1', 'failed')
  expect(failed.status.reason).toBe('this range is reserved here')
  expect(create).toHaveBeenCalledTimes(1)
  expect(await used('networks')).toBe(1)
  await house.must(202, 'DELETE', `${shop}/networks/n1`)
  await house.gone(`${shop}/networks/n1`)
  expect(await used('networks')).toBe(0)
})

test('credentials that are not accepted are the operator’s to renew: it is told, and tried until they are', async () => {
  const { house, cloud, network, until } = await openNetworkHouse()
  cloud.revokeKey(secretKey)
  await network('n1', '10.0.0.0/24')
  const conditions = async () => (await house.must(200, 'GET', `${shop}/networks/n1`)).status.conditions
  await expect
    .poll(conditions, { interval: 20 })
    .toMatchObject([{ type: 'Delayed', reason: 'Auth', message: expect.stringContaining('an operator must renew') }])
  cloud.addKey(secretKey, 'default')
  await until('networks/n1', 'ready')
  expect(await conditions()).toEqual([])
})
