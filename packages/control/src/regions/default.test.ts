import { changeSet, type Index, ReadCache, type StoredObject } from '@stead/engine'
import { expect, onTestFinished, test } from 'vitest'
import type { Problem } from '../errors/index.ts'
import { nobody } from '../identity/caller.ts'
import { Project } from '../projects/model.ts'
import { inUse } from '../teardown/in-use.ts'
import { defaultRegionOf, regionFor } from './default.ts'
import type { Region } from './model.ts'
import { assertTakesNew, mayAct } from './modes.ts'
import { openRegionHouse } from './tests/region-house.ts'
import { inRegion, regionWhole } from './whole.ts'

const codeOf = (act: () => unknown) => {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as Problem).code
  }
}

test('a request in a project means the region it names, else the project’s default, else the platform’s', async () => {
  const { house, region } = await openRegionHouse()
  const { metadata: shop } = await house.must(200, 'GET', '/v1/projects/acme%2Fshop')
  const place = { type: 'project', organizationId: shop.organizationId, projectId: shop.id } as const
  const everything = house.engine.cache.platform()
  const meant = (name?: string) => regionFor(everything, place, name).name
  expect(codeOf(() => meant())).toBe('invalid')
  await region('all')
  await region('own', { organizations: ['acme'] })
  await region('others', { organizations: ['globex'] })
  expect(meant()).toBe('all')
  expect(meant('own')).toBe('own')
  expect(codeOf(() => meant('others'))).toBe('not_found')
  await house.must(200, 'PATCH', `/v1/projects/${shop.id}`, { body: { spec: { defaultRegion: 'own' } } })
  expect(meant()).toBe('own')
  // Never another one behind the back of whoever chose.
  await house.must(200, 'PATCH', '/v1/regions/own', { body: { spec: { organizations: ['globex'] } } })
  expect(codeOf(() => meant())).toBe('invalid_state')
  await house.must(200, 'PATCH', '/v1/regions/all', { body: { spec: { organizations: ['globex'] } } })
  await house.must(200, 'PATCH', `/v1/projects/${shop.id}`, { body: { spec: { defaultRegion: null } } })
  expect(defaultRegionOf(everything, everything.get(Project.kind, shop.id)!)).toBeUndefined()
})

test.each([
  ['active', undefined, true],
  ['draining', 'invalid_state', true],
  ['maintenance', 'invalid_state', false],
] as const)('a region that is %s', (mode, refusal, acts) => {
  const region = { id: 'reg_1', name: 'east', spec: { mode } } as Region
  expect(codeOf(() => assertTakesNew(region))).toBe(refusal)
  expect(mayAct(region)).toBe(acts)
})

test('a region on its way out takes nothing new', () =>
  expect(codeOf(() => assertTakesNew({ id: 'r', deletedAt: 1, spec: { mode: 'active' } } as never))).toBe(
    'invalid_state',
  ))

test('what is in a region stands in the way of its end', async () => {
  const { house, region } = await openRegionHouse()
  const { metadata } = await region('east')
  const byRegion: Index<StoredObject<{ region: string }>> = {
    ...{ name: 'region', kind: 'gadget' },
    keys: ({ spec }) => [spec.region],
  }
  const part = inRegion('gadget', 'gadgets', byRegion)
  const gadget = { kind: 'gadget', id: 'gad_1', name: 'g', labels: {}, finalizers: [], createdAt: house.world.now() }
  await house.engine.commit(changeSet(house.world).create({ ...gadget, spec: { region: metadata.id }, status: {} }))
  const cache = new ReadCache({ store: house.store, world: house.world, indexes: [byRegion as Index] })
  await cache.start()
  onTestFinished(() => cache.stop())
  const everything = cache.platform()
  const object = everything.get('region', metadata.id)!
  expect(part.wholeOf(everything.get('gadget', 'gad_1')!)).toBe(object.id)
  expect(inUse(regionWhole([part]), { object, everything, caller: nobody })).toMatchObject({
    code: 'in_use',
    message: 'this region still has 1 gadget',
  })
  const { metadata: other } = await region('west')
  await cache.reached(other.revision)
  const free = everything.get('region', other.id)!
  expect(inUse(regionWhole([part]), { object: free, everything, caller: nobody })).toBeUndefined()
})
