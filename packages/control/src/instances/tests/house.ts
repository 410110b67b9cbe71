import type { ProviderDefinition } from '@stead/provider-kit'
import type { CloudOptions, SimulatedCloud } from '@stead/provider-kit/simulated'
import { millis } from '@stead/world'
import { expect } from 'vitest'
import type { Answer, CallOptions } from '../../door/tests/shop.ts'
import type { IdentityHouse } from '../../identity/tests/house.ts'
import { openRegionHouse, simulatedCloud } from '../../regions/tests/region-house.ts'
import { servers } from '../../servers/model.ts'

/** A cloud that does in milliseconds what others do in minutes. */
const quick = {
  launchCall: millis(1),
  call: millis(1),
  boot: millis(15),
  stop: millis(10),
  terminate: millis(10),
  build: millis(5),
}

export interface InstanceHouseOptions {
  readonly profile?: CloudOptions['profile']
  /** What its region is reached by, instead of the cloud's own. */
  readonly provider?: (cloud: SimulatedCloud) => ProviderDefinition
  /** What the house has besides. */
  readonly house?: Parameters<typeof IdentityHouse.open>[0]
}

/** A house whose organizations have a region on a quick simulated cloud, and what tests ask of instances there. */
export class InstanceHouse {
  readonly house: IdentityHouse
  readonly cloud: SimulatedCloud
  readonly instances = '/v1/projects/acme%2Fshop/instances'

  private constructor(house: IdentityHouse, cloud: SimulatedCloud) {
    this.house = house
    this.cloud = cloud
  }

  static async open({ profile = {}, provider, house: more = {} }: InstanceHouseOptions = {}): Promise<InstanceHouse> {
    const quickCloud = simulatedCloud({ profile: { ...quick, ...profile } })
    const { house, cloud, region } = await openRegionHouse(quickCloud, more, provider)
    await region('sim')
    return new InstanceHouse(house, cloud)
  }

  must(status: number, method: string, path = '', options: CallOptions = {}): Promise<Answer['body']> {
    return this.house.must(status, method, this.instances + path, options)
  }

  call(method: string, path = '', options: CallOptions = {}): Promise<Answer> {
    return this.house.call(method, this.instances + path, options)
  }

  create(name: string, spec: object = services()): Promise<Answer['body']> {
    return this.must(201, 'POST', '', { body: { name, spec } })
  }

  get(name: string): Promise<Answer['body']> {
    return this.must(200, 'GET', `/${name}`)
  }

  /** Waits until it is in a phase. */
  until(name: string, phase: string, more = ''): Promise<Answer['body']> {
    return this.must(200, 'GET', `/${name}/wait?phase=${phase}&timeout=25s${more}`)
  }

  /** Waits until nothing is done to it any more. */
  async settled(name: string): Promise<Answer['body']> {
    await expect.poll(async () => (await this.get(name)).status.operation, { interval: 5 }).toBeNull()
    return this.get(name)
  }

  /** Made, and running. */
  async running(name: string, spec: object = services()): Promise<Answer['body']> {
    await this.create(name, spec)
    return this.until(name, 'running', '&ready=true')
  }

  async gone(name: string): Promise<void> {
    await this.house.gone(`${this.instances}/${name}`)
  }

  async operation(id: string): Promise<Answer['body']> {
    return this.house.must(200, 'GET', `/v1/projects/acme%2Fshop/operations/${id}`)
  }

  /** What an operation has come to once it has ended. */
  async ended(id: string): Promise<Answer['body']> {
    await expect.poll(async () => (await this.operation(id)).endedAt, { interval: 5 }).toBeDefined()
    return this.operation(id)
  }

  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.must(200, 'GET', `/${name}/events`)
    return items.map(({ reason }: { reason: string }) => reason).toReversed()
  }

  async used(): Promise<Record<string, number>> {
    const { quotas } = await this.house.must(200, 'GET', '/v1/projects/acme%2Fshop/quotas')
    const found = quotas.map(({ kind, used }: { kind: string; used: number }) => [kind, used] as const)
    return Object.fromEntries(found.filter(([, used]: [string, number]) => used > 0))
  }

  limit(limits: Record<string, number>): Promise<unknown> {
    return this.house.must(200, 'PUT', '/v1/projects/acme%2Fshop/quotas', { body: { limits } })
  }

  /** The servers of an instance, which callers never see. */
  serversOf(id: string) {
    return this.house.engine.cache.platform().list({ kind: servers, owner: { kind: 'instance', id } }).items
  }

  /** What there is in the cloud, as it calls it. */
  backends(): readonly { readonly id: string; readonly state: string }[] {
    return [...this.cloud.account().servers].map(server => server.view()).filter(({ state }) => state !== 'deleted')
  }
}

export const services = (web: object = {}, more: object = {}) => ({
  source: {
    services: {
      services: { web: { image: 'host', command: ['serve'], ports: [{ name: 'http' }], ...web }, ...more },
    },
  },
})

export const machine = (more: object = {}) => ({
  source: { machine: { flavor: 'small', image: 'minimal', ...more } },
})
