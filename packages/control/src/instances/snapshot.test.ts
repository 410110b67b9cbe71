import { minutes } from '@stead/world'
import { expect, test } from 'vitest'
import { Image } from '../images/model.ts'
import { InstanceHouse, machine, services } from './tests/house.ts'

const images = '/v1/projects/acme%2Fshop/images'

const image = (house: InstanceHouse, name: string) => house.house.must(200, 'GET', `${images}/${name}`)

test('a snapshot is an image that others are launched from, and is in use while they are there', async () => {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('vm-1', machine())
  const body = { name: 's1', labels: { tier: 'web', 'stead.copied': 'yes' } }
  const taken = await house.must(202, 'POST', '/vm-1/snapshot', { body })
  const instance = { id: metadata.id, name: 'vm-1' }
  expect(taken.image).toMatchObject({
    metadata: { name: 's1', labels: { tier: 'web' } },
    spec: { region: expect.any(String), architecture: 'x86_64', source: { snapshot: { instance, diskGiB: 10 } } },
  })
  expect(taken.image.metadata.labels).toEqual({ tier: 'web' })
  expect(await house.ended(taken.operation.id)).toMatchObject({
    type: 'snapshot',
    state: 'succeeded',
    subject: instance,
    steps: [{ name: 'capture', state: 'succeeded' }],
  })
  expect((await image(house, 's1')).status.state).toBe('ready')
  const { items } = await house.must(200, 'GET', '/vm-1/snapshots')
  expect(items.map((each: typeof taken.image) => each.metadata.name)).toEqual(['s1'])
  expect((await house.must(200, 'GET', '/vm-1/operations')).items[0].id).toBe(taken.operation.id)
  expect(await house.used()).toMatchObject({ images: 1, instances: 1 })

  await house.running('vm-2', machine({ image: 's1' }))
  expect(await house.house.must(409, 'DELETE', `${images}/s1`)).toMatchObject({ code: 'in_use' })
  for (const name of ['vm-1', 'vm-2']) {
    await house.must(202, 'DELETE', `/${name}`)
    await house.gone(name)
  }
  await house.house.must(202, 'DELETE', `${images}/s1`)
  await house.house.gone(`${images}/s1`)
  expect(await house.used()).toEqual({})
})

test('one says what it was taken of though that is no longer offered', async () => {
  const house = await InstanceHouse.open()
  await house.running('vm-1', machine())
  await house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { flavors: { small: { hidden: true } } } } })
  const taken = await house.must(202, 'POST', '/vm-1/snapshot', { body: { name: 's1' } })
  expect(taken.image.spec).toMatchObject({ architecture: 'x86_64', source: { snapshot: { diskGiB: 10 } } })
})

test('what its disk held does not fit on a smaller one', async () => {
  const house = await InstanceHouse.open()
  await house.running('vm-1', machine({ diskGiB: 40 }))
  const { operation } = await house.must(202, 'POST', '/vm-1/snapshot', { body: { name: 's1' } })
  await house.ended(operation.id)
  const body = { name: 'vm-2', spec: machine({ image: 's1', diskGiB: 39 }) }
  expect(await house.must(422, 'POST', '', { body })).toMatchObject({ code: 'invalid' })
  await house.create('vm-3', machine({ image: 's1', flavor: 'large' }))
  const path = '/spec/source/machine'
  for (const [change, paths] of [
    [{ flavor: 'small' }, [`${path}/flavor`, `${path}/image`]],
    [{ diskGiB: 39 }, [`${path}/diskGiB`]],
  ] as const) {
    const refused = await house.must(422, 'PATCH', '/vm-3', { body: { spec: { source: { machine: change } } } })
    expect(refused.errors.map((error: { path: string }) => error.path)).toEqual(paths)
  }
  const byName = { flavor: 'small', image: 's1', diskGiB: 40 }
  expect(
    await house.must(200, 'POST', '/vm-3/plan', { body: { spec: { source: { machine: byName } } } }),
  ).toMatchObject({
    changes: [{ path: `${path}/diskGiB` }, { path: `${path}/flavor` }],
  })
})

test('one that cannot be taken says why, takes no name and charges nothing', async () => {
  const house = await InstanceHouse.open({ profile: { boot: minutes(1) } })
  await house.create('vm-1', machine())
  const body = { name: 's1' }
  expect(await house.must(409, 'POST', '/vm-1/snapshot', { body })).toMatchObject({ code: 'not_ready' })
  await house.limit({ images: 0 })
  await house.must(202, 'DELETE', '/vm-1')
  expect(await house.must(409, 'POST', '/vm-1/snapshot', { body })).toMatchObject({ code: 'invalid_state' })
  expect((await house.used()).images).toBeUndefined()
})

test('over the quota for images nothing is taken, and a name is taken once', async () => {
  const house = await InstanceHouse.open()
  await house.running('web-1', services())
  await house.limit({ images: 1 })
  const take = (name: string, status: number) => house.must(status, 'POST', '/web-1/snapshot', { body: { name } })
  const { operation } = await take('s1', 202)
  expect(await take('s1', 409)).toMatchObject({ code: 'name_taken' })
  expect(await take('s2', 403)).toMatchObject({ code: 'quota_exceeded' })
  await house.ended(operation.id)
})

test('of a server that has vanished none can be taken, and that is how it ends', async () => {
  const house = await InstanceHouse.open()
  await house.running('vm-1', machine())
  const mode = (to: string) => house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode: to } } })
  await mode('maintenance')
  const { operation } = await house.must(202, 'POST', '/vm-1/snapshot', { body: { name: 's1' } })
  const account = house.cloud.account()
  for (const server of [...account.servers]) account.vanish(server)
  await mode('active')
  const ended = await house.ended(operation.id)
  expect(ended).toMatchObject({ state: 'failed', error: { message: expect.any(String) } })
  expect((await image(house, 's1')).status.state).toBe('failed')
})

test('an image that is deleted before it is there takes the request for it along', async () => {
  const house = await InstanceHouse.open({ profile: { build: minutes(1) } })
  await house.running('vm-1', machine())
  const taken = await house.must(202, 'POST', '/vm-1/snapshot', { body: { name: 's1' } })
  const kept = () => house.house.engine.cache.platform().get<Image>(Image.kind, taken.image.metadata.id)
  await expect.poll(() => kept()?.status.backendId).toBeDefined()
  await house.house.must(202, 'DELETE', `${images}/s1`)
  expect(await house.ended(taken.operation.id)).toMatchObject({ state: 'cancelled' })
})
