import type { CloudOptions } from '@stead/provider-kit/simulated'
import { expect } from 'vitest'
import type { Answer } from '../../door/tests/shop.ts'
import type { HouseOptions } from '../../identity/tests/house.ts'
import { openRegionHouse, simulatedCloud } from '../../regions/tests/region-house.ts'

export const shop = '/v1/projects/acme%2Fshop'

/** The house with a region `sky` over a simulated cloud, and what tests of things in it ask again and again. */
export async function openHouseWithSky(options: Partial<CloudOptions> = {}, houseOptions: HouseOptions = {}) {
  const cloud = simulatedCloud(options)
  const { house, region } = await openRegionHouse(cloud, houseOptions)
  const sky = await region('sky')
  const make = (noun: string, name: string, spec: object, status = 201) =>
    house.must(status, 'POST', `${shop}/${noun}`, { body: { name, spec } })
  return {
    house,
    cloud,
    region,
    sky,
    make,
    /** Waits until it is in this state. */
    async until(path: string, state: string): Promise<Answer['body']> {
      const read = async () => (await house.must(200, 'GET', `${shop}/${path}`)) as Answer['body']
      await expect.poll(async () => (await read()).status.state, { interval: 20 }).toBe(state)
      return read()
    },
    async used(kind: string): Promise<number> {
      const { quotas } = await house.must(200, 'GET', `${shop}/quotas`)
      return quotas.find((quota: { kind: string }) => quota.kind === kind).used
    },
  }
}

/** The same, with a way to make networks. */
export async function openNetworkHouse(options: Partial<CloudOptions> = {}) {
  const opened = await openHouseWithSky(options)
  const network = (name: string, cidr: string, status = 201) =>
    opened.make('networks', name, { region: 'sky', cidr }, status)
  return { ...opened, network }
}
