import { createMetrics } from '@stead/engine'
import type { Provider } from '@stead/provider-kit'
import { SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import { seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { type Region, unseenStatus } from '../model.ts'
import { catalogOf, firstCatalogOf } from './catalog-of.ts'
import { RegionCatalogs } from './catalogs.ts'

/** A region on a simulated cloud, all on a virtual clock, and how often the cloud was asked. */
async function skyWithRegion() {
  const world = new VirtualWorld({ seed: 1 })
  const cloud = new SimulatedCloud({ world, seed: 1 })
  const counted = { calls: 0 }
  const metrics = createMetrics()
  // Connected before the clock moves: connecting loads a module, for which a virtual clock does not wait.
  const connected = await simulatedProvider(() => cloud).connect({
    ...{ configuration: { cloud: 'default' }, credentials: { key: 'simulated' }, world },
    owner: { controlPlane: 'cp', region: 'reg' },
  })
  const of = async (): Promise<Provider> => {
    counted.calls++
    return connected
  }
  const spec: Region['spec'] = { provider: 'simulated', configuration: {}, mode: 'active' }
  const region = { kind: 'region', id: 'reg_1', name: 'east', generation: 1, spec, status: unseenStatus } as Region
  return { world, cloud, counted, region, metrics, catalogs: new RegionCatalogs({ clients: { of }, world, metrics }) }
}

const known = (found: ReturnType<typeof catalogOf>) => {
  if (!found.isKnown) throw found.refusal
  return found
}

test('who comes first waits for the backend; however many come together, it is asked once', async () => {
  const { world, counted, region, catalogs } = await skyWithRegion()
  expect(catalogOf(region, catalogs)).toMatchObject({ isKnown: false, refusal: { code: 'unavailable' } })
  const answers = await world.run(Promise.all([1, 2, 3].map(() => firstCatalogOf(region, catalogs))))
  expect(answers.map(answer => known(answer).flavors.length)).toEqual([3, 3, 3])
  expect(counted.calls).toBe(1)
})

test('what is known is given at once, with its age; it is asked for again before anybody has to wait', async () => {
  const { world, counted, region, catalogs } = await skyWithRegion()
  await world.run(catalogs.ask(region))
  await world.runFor(seconds(59))
  expect(known(catalogOf(region, catalogs)).age).toBeGreaterThanOrEqual(seconds(59))
  expect(counted.calls).toBe(1)
  await world.runFor(seconds(1))
  expect(known(catalogOf(region, catalogs)).age).toBeGreaterThanOrEqual(seconds(60))
  expect(known(catalogOf(region, catalogs)).flavors).toHaveLength(3)
  await world.runFor(seconds(1))
  expect(known(catalogOf(region, catalogs)).age).toBeLessThanOrEqual(seconds(1))
  expect(counted.calls).toBe(2)
})

test('a backend that fails is asked by nobody for a while, and what it said before still stands', async () => {
  const { world, cloud, counted, region, catalogs } = await skyWithRegion()
  await world.run(catalogs.ask(region))
  await world.runFor(seconds(70))
  const over = cloud.outage({ kind: 'outage' })
  for (let n = 0; n < 10; n++) {
    expect(known(catalogOf(region, catalogs)).flavors).toHaveLength(3)
    await world.runFor(seconds(0.4))
  }
  expect(counted.calls).toBe(2)
  over()
  await world.runFor(seconds(5))
  catalogOf(region, catalogs)
  await world.runFor(seconds(1))
  expect(known(catalogOf(region, catalogs)).age).toBeLessThanOrEqual(seconds(1))
})

test('where nothing was ever known, the refusal says why, at once after the first time', async () => {
  const { world, cloud, region, catalogs } = await skyWithRegion()
  cloud.revokeKey('simulated')
  const refused = await world.run(firstCatalogOf(region, catalogs))
  expect(refused).toMatchObject({
    isKnown: false,
    refusal: {
      message: 'what the region east offers is not known: the backend does not accept the credentials of this region',
      details: { retryAfter: seconds(5) },
    },
  })
  const time = world.now()
  expect(await world.run(firstCatalogOf(region, catalogs))).toMatchObject({ isKnown: false })
  expect(world.now()).toBe(time)
})

test('what was learnt with other credentials or another configuration is not this region’s', async () => {
  const { world, region, catalogs } = await skyWithRegion()
  await world.run(catalogs.ask(region))
  const moved = { ...region, spec: { ...region.spec, configuration: { cloud: 'other' } } }
  expect(catalogs.peek(moved)).toBeUndefined()
  expect(catalogOf(moved, catalogs).isKnown).toBe(false)
})

test('whether a backend answers is measured, for as long as its region is there', async () => {
  const { world, cloud, region, catalogs, metrics } = await skyWithRegion()
  const lines = () =>
    metrics
      .expose()
      .split('\n')
      .filter(line => line.startsWith('stead_region'))
  await world.run(catalogs.ask(region))
  expect(lines()).toEqual(['stead_region_up{region="east"} 1', 'stead_region_latency_seconds{region="east"} 0.01'])
  cloud.outage({ kind: 'outage' })
  await world.run(catalogs.ask(region).catch(() => {}))
  expect(lines()).toContain('stead_region_up{region="east"} 0')
  catalogs.forget(region.id)
  expect(lines()).toEqual([])
})
