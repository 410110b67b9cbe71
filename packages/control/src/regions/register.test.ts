import { expect, test } from 'vitest'
import { registerRegion } from './register.ts'
import { openRegionHouse } from './tests/region-house.ts'

const found = { name: 'found', provider: 'simulated', credentials: { key: 'simulated' } }

test('a region that is found is registered once, however many nodes find it together', async () => {
  const { house } = await openRegionHouse()
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => registerRegion(found, house.registering())))
  expect(outcomes.sort()).toEqual([...Array<string>(7).fill('known'), 'registered'])
  const { items } = await house.must(200, 'GET', '/v1/regions')
  expect(items).toMatchObject([{ metadata: { name: 'found' }, status: { isDefault: true } }])
})

test('several that are found together are all registered, and one of them is the default', async () => {
  const { house } = await openRegionHouse()
  const names = ['a', 'b', 'c', 'd']
  await Promise.all(names.map(name => registerRegion({ ...found, name }, house.registering())))
  const { items } = await house.must(200, 'GET', '/v1/regions')
  expect(items).toHaveLength(4)
  expect(items.filter(({ status }: { status: { isDefault: boolean } }) => status.isDefault)).toHaveLength(1)
})

test('a name that an operator has given is left to them', async () => {
  const { house, region } = await openRegionHouse()
  const { metadata } = await region('found')
  expect(await registerRegion(found, house.registering())).toBe('name taken')
  expect((await house.must(200, 'GET', '/v1/regions/found')).metadata.id).toBe(metadata.id)
})

test('what was deleted since does not come back', async () => {
  const { house } = await openRegionHouse()
  expect(await registerRegion(found, house.registering())).toBe('registered')
  await house.must(202, 'DELETE', '/v1/regions/found')
  await house.gone('/v1/regions/found')
  expect(await registerRegion(found, house.registering())).toBe('known')
})
