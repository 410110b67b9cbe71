import { launchToken, listAll, type Provider, serverTags } from '@stead/provider-kit'
import { newId } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { RegionClients } from './clients.ts'
import { Region } from './model.ts'
import { openRegionHouse, simulatedCloud } from './tests/region-house.ts'

/** Two regions of one kind on one cloud, whose keys open different accounts. */
async function twoRegions() {
  const cloud = simulatedCloud()
  const keys = ['one', 'two'] as const
  for (const name of keys) cloud.addKey(`key-of-${name}`, name)
  const { house, region } = await openRegionHouse(cloud)
  for (const name of keys) await region(name, { credentials: { key: `key-of-${name}` } })
  const { clients } = house.registering()
  const read = (name: string) => house.engine.cache.platform().list({ kind: Region.kind, name }).items[0]!
  const launch = async (name: string, provider: Provider) => {
    const id = newId(house.world, 'srv')
    const tags = serverTags({ controlPlane: house.store.identity.storeId, region: read(name).id }, id)
    const source = { type: 'machine', flavor: 'small', image: 'minimal' } as const
    return (await provider.launch({ name: 'web', source, power: 'on', tags }, launchToken(id, 1), { fresh: true })).id
  }
  const listed = async (provider: Provider) =>
    (await listAll(provider.list({ tags: {}, all: true }))).map(({ id }) => id).sort()
  return { house, cloud, clients, read, launch, listed }
}

test('two regions of one kind with different credentials never mix, whoever asks for them at once', async () => {
  const { cloud, clients, read, launch, listed } = await twoRegions()
  const names = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'one' : 'two'))
  const ids = await Promise.all(
    names.map(async name => ({ name, id: await launch(name, await clients.of(read(name))) })),
  )
  for (const name of ['one', 'two']) {
    const own = ids.filter(each => each.name === name).map(({ id }) => id)
    expect(await listed(await clients.of(read(name)))).toEqual(own.sort())
    expect(own.every(id => cloud.account(name).servers.get(id))).toBe(true)
  }
  expect([...cloud.account('default').servers]).toEqual([])
})

test('everybody shares one client, until the region is changed: then the next asks with what is there now', async () => {
  const { house, clients, read, launch, listed } = await twoRegions()
  const [first, second] = await Promise.all([clients.of(read('one')), clients.of(read('one'))])
  expect(second).toBe(first)
  const id = await launch('one', first)
  await house.must(200, 'PATCH', '/v1/regions/one', { body: { labels: { nothing: 'else' } } })
  expect(await clients.of(read('one'))).toBe(first)
  await house.must(200, 'PATCH', '/v1/regions/one', { body: { spec: { credentials: { key: 'key-of-two' } } } })
  const changed = await clients.of(read('one'))
  expect(changed).not.toBe(first)
  expect(await listed(changed)).not.toContain(id)
})

test('the client of a region that is gone is let go', async () => {
  const { house, clients, read } = await twoRegions()
  const closed = vi.spyOn(await clients.of(read('one')), 'close')
  await house.must(202, 'DELETE', '/v1/regions/one')
  await house.gone('/v1/regions/one')
  await expect.poll(() => closed).toHaveBeenCalledOnce()
})

test('a connection that fails is tried anew by whoever asks next', async () => {
  const { house, read } = await twoRegions()
  const { sealer, world } = house.registering()
  let attempts = 0
  const flaky = {
    ...{ kind: 'simulated', configuration: {}, credentials: {} },
    connect: async () => {
      attempts++
      if (attempts === 1) throw new Error('not yet')
      return { close: async () => {} } as Provider
    },
  }
  const clients = new RegionClients({ providers: [flaky], store: house.store, sealer, world })
  await expect(clients.of(read('one'))).rejects.toThrow('not yet')
  await clients.of(read('one'))
  await clients.of(read('one'))
  expect(attempts).toBe(2)
})
