import { changeSet, type ObjectDraft } from '@stead/engine'
import { type Provider, ProviderError, serverTags, type Tags } from '@stead/provider-kit'
import { type SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import { expect, test } from 'vitest'
import { Orphan, type OrphanSpec, type OrphanStatus } from '../../servers/orphans/model.ts'
import { InstanceHouse, machine, services } from '../tests/house.ts'
import { plant } from './tests/plant.ts'

const adopting = (house: InstanceHouse, status: number, body: object, token?: string) =>
  house.must(status, 'POST', '/adopt', { body: { region: 'sim', ...body }, ...(token !== undefined && { token }) })

/** The provider of the house, with some of it otherwise. */
const otherwise =
  (change: (right: Provider, cloud: SimulatedCloud) => Partial<Provider>) => (cloud: SimulatedCloud) => {
    const definition = simulatedProvider(() => cloud)
    return {
      ...definition,
      async connect(connection: Parameters<typeof definition.connect>[0]) {
        const right = await definition.connect(connection)
        const changed = change(right, cloud)
        return new Proxy(right, {
          get(target, member) {
            const value: unknown = Reflect.get(member in changed ? changed : target, member)
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
      },
    } as ReturnType<typeof simulatedProvider>
  }

const real = (house: InstanceHouse, id: string) => house.cloud.account().server(id)

const storeOf = (house: InstanceHouse) => house.house.store.identity.storeId

async function regionId(house: InstanceHouse): Promise<string> {
  return (await house.house.must(200, 'GET', '/v1/regions/sim')).metadata.id
}

async function projectId(house: InstanceHouse): Promise<string> {
  return (await house.house.must(200, 'GET', '/v1/projects/acme%2Fshop')).metadata.id
}

test('a machine that nobody owns is planned, adopted as it is, and then an instance like any other', async () => {
  const house = await InstanceHouse.open()
  const id = await plant(house.cloud, { Name: 'handmade' })
  const { boots } = real(house, id)
  const body = { backendId: id, name: 'old-1', labels: { tier: 'db' } }

  const plan = await adopting(house, 200, { ...body, plan: true })
  expect(plan).toMatchObject({
    backendId: id,
    instance: { name: 'old-1', spec: { source: { machine: { flavor: 'small', image: 'minimal' } }, power: 'on' } },
    charges: { instances: 1, cpuMillis: 1_000 },
    blocking: [],
    tags: { 'stead.label.tier': 'db', 'stead.managed-by': 'stead' },
    differences: [],
  })
  expect(await house.used()).toEqual({})
  expect(real(house, id).tags).toEqual({ Name: 'handmade' })

  const { operation, metadata } = await adopting(house, 201, body)
  expect(await house.ended(operation.id)).toMatchObject({ state: 'succeeded', type: 'adopt' })
  await house.until('old-1', 'running', '&ready=true')
  expect(real(house, id)).toMatchObject({ boots, tags: { Name: 'handmade', 'stead.instance-id': metadata.id } })
  expect(Object.keys(real(house, id).tags).sort()).toEqual([...Object.keys(plan.tags), 'Name'].sort())
  expect(await house.used()).toMatchObject({ instances: 1, cpuMillis: 1_000 })
  expect(await house.events('old-1')).toContain('AdoptRequested')
  const { items } = await house.house.must(200, 'GET', '/v1/organizations/acme/audit?action=instances:adopt')
  expect(JSON.stringify(items)).toContain(metadata.id)

  await house.must(202, 'POST', '/old-1/stop')
  await house.until('old-1', 'stopped')
  expect(real(house, id).state).toBe('halted')
  await house.must(202, 'DELETE', '/old-1')
  await house.gone('old-1')
  expect(house.backends()).toEqual([])
  expect(await house.used()).toEqual({})
  const again = await plant(house.cloud, {})
  await adopting(house, 201, { backendId: again, name: 'old-1' })
})

test('what an instance here has, or is about to have, is not adopted, and neither is what is not there', async () => {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('web-1')
  const managed = house.serversOf(metadata.id)[0]!.status.backendId!
  expect(await adopting(house, 409, { backendId: managed, name: 'b' })).toMatchObject({ code: 'invalid_state' })
  expect(await adopting(house, 404, { backendId: 'i-nothing', name: 'b' })).toMatchObject({ code: 'not_found' })
  const theirs = await plant(house.cloud, serverTags({ controlPlane: 'another', region: 'r' }, 'srv_1'))
  expect(await adopting(house, 409, { backendId: theirs, name: 'b' })).toMatchObject({
    code: 'invalid_state',
    detail: expect.stringContaining('another control plane'),
  })
  const free = await plant(house.cloud, {})
  expect(await adopting(house, 409, { backendId: free, name: 'web-1' })).toMatchObject({ code: 'name_taken' })
  for (const [body, path] of [
    [{}, '/name'],
    [{ name: 'b', spec: machine({ flavor: 'large' }) }, '/spec/source/machine/flavor'],
    [{ name: 'b', spec: machine({ userData: '#!/bin/sh' }) }, '/spec/source/machine/userData'],
    [{ name: 'b', instance: 'web-1' }, '/name'],
  ] as const)
    expect(await adopting(house, 422, { backendId: free, ...body })).toMatchObject({ errors: [{ path }] })
  await house.limit({ instances: 1 })
  expect(await adopting(house, 200, { backendId: free, name: 'b', plan: true })).toMatchObject({
    blocking: [{ kind: 'instances', limit: 1, used: 1, asked: 1 }],
  })
  expect(await adopting(house, 403, { backendId: free, name: 'b' })).toMatchObject({ code: 'quota_exceeded' })
  expect(real(house, free).tags).toEqual({})
  expect(await house.used()).toMatchObject({ instances: 1 })
})

test('who does not run regions adopts only what names their project', async () => {
  const house = await InstanceHouse.open()
  const grant = { project: 'shop', role: 'project-admin' }
  const { token } = await house.house.account('acme', 'robot', grant)
  const { token: developer } = await house.house.account('acme', 'dev', { ...grant, role: 'developer' })
  const nobodys = await plant(house.cloud, {})
  const ours = await plant(house.cloud, { 'stead.project-id': await projectId(house) })
  const unseen = await adopting(house, 404, { backendId: nobodys, name: 'a' }, token)
  const nothing = await adopting(house, 404, { backendId: 'i-nothing', name: 'a' }, token)
  expect(unseen.detail.replace(nobodys, '')).toBe(nothing.detail.replace('i-nothing', ''))
  await adopting(house, 403, { backendId: ours, name: 'a' }, developer)
  await adopting(house, 201, { backendId: ours, name: 'a' }, token)
})

test('a region that cannot say of what is there whose it is says so before anything is written', async () => {
  const house = await InstanceHouse.open({
    provider: otherwise(right => ({
      capabilities() {
        const { groups, ...rest } = right.capabilities()
        const { adopt: _, ...others } = groups
        return { ...rest, groups: others }
      },
    })),
  })
  const foreign = await plant(house.cloud, {})
  expect(await adopting(house, 501, { backendId: foreign, name: 'a' })).toMatchObject({ code: 'unsupported' })
  const tags = serverTags({ controlPlane: storeOf(house), region: await regionId(house) }, 'srv_forgotten')
  const ours = await plant(house.cloud, { ...tags, 'stead.label.tier': 'web', 'stead.label.old': 'yes' })
  const { metadata, operation } = await adopting(house, 201, { backendId: ours, name: 'a', labels: { tier: 'api' } })
  expect(await house.ended(operation.id)).toMatchObject({ state: 'succeeded' })
  expect(house.serversOf(metadata.id)).toMatchObject([{ id: 'srv_forgotten' }])
  expect(real(house, ours).tags).toMatchObject({ 'stead.label.tier': 'api', 'stead.instance-id': metadata.id })
  expect(real(house, ours).tags).not.toHaveProperty('stead.label.old')
})

test('an instance that has lost what it ran on can be given what was made for it', async () => {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('vm-1', machine())
  const [server] = house.serversOf(metadata.id)
  const other = await plant(house.cloud, {}, { flavor: 'large' })
  const body = { backendId: other, instance: 'vm-1' }
  expect(await adopting(house, 409, body)).toMatchObject({ code: 'invalid_state' })
  house.cloud.disappear(server!.status.backendId!)
  await house.must(200, 'GET', '/vm-1/wait?phase=failed&timeout=60s')

  expect(await adopting(house, 200, { ...body, plan: true })).toMatchObject({ instance: { id: metadata.id } })
  const { operation } = await adopting(house, 202, body)
  expect(await house.ended(operation.id)).toMatchObject({ state: 'succeeded' })
  await house.until('vm-1', 'running', '&ready=true')
  expect(await house.get('vm-1')).toMatchObject({
    metadata: { id: metadata.id },
    spec: { source: { machine: { flavor: 'large' } } },
    status: { conditions: [] },
  })
  await expect.poll(() => house.serversOf(metadata.id).length).toBe(1)
  expect(real(house, other).tags['stead.instance-id']).toBe(metadata.id)
  await house.must(202, 'DELETE', '/vm-1')
  await house.gone('vm-1')
  expect(house.backends()).toEqual([])
}, 60_000)

test('of two that adopt the same at once, one has it', async () => {
  const house = await InstanceHouse.open()
  const id = await plant(house.cloud, {})
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      house.call('POST', '/adopt', { body: { region: 'sim', backendId: id, name: `a-${index}` } }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  expect(await house.used()).toMatchObject({ instances: 1 })
})

test('services are adopted by who says what they run', async () => {
  const house = await InstanceHouse.open()
  const source = { type: 'services', kind: 'deployment', services: {} } as const
  const id = await plant(house.cloud, {}, source)
  expect(await adopting(house, 422, { backendId: id, name: 'a' })).toMatchObject({ errors: [{ path: '/spec/source' }] })
  const wrong = { source: { services: { services: { api: { image: 'host' } } } } }
  expect(await adopting(house, 422, { backendId: id, name: 'a', spec: wrong })).toMatchObject({
    errors: [{ message: 'are web in the region' }],
  })
  await adopting(house, 201, { backendId: id, name: 'a', spec: services() })
  await house.until('a', 'running', '&ready=true')
})

const meanwhile = (happens: (cloud: SimulatedCloud, id: string) => void) =>
  otherwise((right, cloud) => ({
    adopt(id: string, tags: Tags) {
      happens(cloud, id)
      return right.adopt!(id, tags)
    },
  }))

test('what went while it was being adopted is lost, and nothing is made in its place', async () => {
  const house = await InstanceHouse.open({ provider: meanwhile((cloud, id) => cloud.disappear(id)) })
  const id = await plant(house.cloud, {})
  const { operation } = await adopting(house, 201, { backendId: id, name: 'a' })
  expect(await house.ended(operation.id)).toMatchObject({ state: 'failed', error: { code: 'ServerLost' } })
  expect(await house.get('a')).toMatchObject({ status: { phase: 'failed' } })
  await house.must(202, 'DELETE', '/a')
  await house.gone('a')
  expect(await house.used()).toEqual({})
})

test('what another control plane took meanwhile is left to it, also when its instance is deleted', async () => {
  const theirs = { 'stead.managed-by': 'stead', 'stead.control-plane': 'another' }
  const house = await InstanceHouse.open({
    provider: meanwhile((cloud, id) => cloud.account().server(id).retag(theirs)),
  })
  const id = await plant(house.cloud, {})
  const { operation } = await adopting(house, 201, { backendId: id, name: 'a' })
  expect(await house.ended(operation.id)).toMatchObject({ state: 'failed', error: { code: 'Conflict' } })
  expect(await house.get('a')).toMatchObject({ status: { phase: 'failed' } })
  await house.must(202, 'DELETE', '/a')
  await house.gone('a')
  expect(real(house, id)).toMatchObject({ state: 'active', tags: theirs })
})

test('a region that does not answer is waited for, by the caller and by what was accepted', async () => {
  let left = 3
  const house = await InstanceHouse.open({
    provider: otherwise(right => ({
      async adopt(id: string, tags: Tags) {
        if (left-- > 0) throw new ProviderError('Unavailable', 'not now')
        return right.adopt!(id, tags)
      },
    })),
  })
  const id = await plant(house.cloud, {})
  const { operation } = await adopting(house, 201, { backendId: id, name: 'a' })
  await expect.poll(async () => (await house.operation(operation.id)).state, { timeout: 30_000 }).toBe('succeeded')
  const end = house.cloud.outage({ kind: 'outage' })
  expect(await adopting(house, 503, { backendId: id, name: 'b' })).toMatchObject({ code: 'unavailable' })
  end()
}, 60_000)

test('what is on its way out is not adopted', async () => {
  const house = await InstanceHouse.open()
  const region = await regionId(house)
  const id = await plant(house.cloud, serverTags({ controlPlane: storeOf(house), region }, 'srv_forgotten'))
  const { engine, world } = house.house
  const orphan: ObjectDraft<OrphanSpec, OrphanStatus> = {
    ...{ kind: Orphan.kind, id: 'orp_1', labels: {}, finalizers: [], createdAt: world.now() },
    spec: { region, backendId: id, serverId: 'srv_forgotten', reason: 'unknown', reap: { by: 'sweep' } },
    status: { state: 'running' },
  }
  await engine.commit(changeSet(world).create(orphan))
  expect(await adopting(house, 409, { backendId: 'orp_1', name: 'a' })).toMatchObject({ code: 'invalid_state' })
})
