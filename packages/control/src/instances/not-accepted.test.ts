import { expect, test } from 'vitest'
import { WatchedProvider } from '../streams/tests/watched-provider.ts'
import { InstanceHouse, machine, services } from './tests/house.ts'

const larger = { spec: { source: { machine: { flavor: 'large' } } } }

/** What a change that is refused must leave as it is. */
async function standing(house: InstanceHouse, name: string) {
  const { metadata, spec } = await house.get(name)
  return { used: await house.used(), generation: metadata.generation, spec }
}

test('what is being deleted is not changed any more', async () => {
  const house = await InstanceHouse.open()
  await house.running('vm-1', machine())
  house.cloud.outage({ kind: 'outage', on: ['terminate'] })
  await house.must(202, 'DELETE', '/vm-1')
  for (const body of [{ labels: { tier: 'web' } }, { spec: { power: 'off' } }, larger])
    expect(await house.must(409, 'PATCH', '/vm-1', { body })).toMatchObject({ code: 'invalid_state' })
  expect((await house.must(409, 'POST', '/vm-1/scale', { body: { flavor: 'large' } })).code).toBe('invalid_state')
})

test('another flavor is a replacement where a region cannot resize, and needs to be allowed', async () => {
  const { definition: provider } = new WatchedProvider({ lacks: ['resize'] })
  const house = await InstanceHouse.open({ provider })
  const { metadata } = await house.running('vm-1', machine())
  const [before] = house.serversOf(metadata.id)
  const plan = await house.must(200, 'POST', '/vm-1/plan', { body: larger })
  expect(plan).toEqual({
    effect: 'replace',
    changes: [{ path: '/spec/source/machine/flavor', from: 'small', to: 'large', effect: 'replace' }],
    loses: ['disk', 'addresses', 'localState'],
    keeps: [],
    interrupts: true,
  })
  const refused = await standing(house, 'vm-1')
  const required = { code: 'replacement_required', plan }
  expect(await house.must(409, 'PATCH', '/vm-1', { body: larger })).toMatchObject(required)
  expect(await house.must(409, 'POST', '/vm-1/scale', { body: { flavor: 'large' } })).toMatchObject(required)
  expect(await standing(house, 'vm-1')).toEqual(refused)
  const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', { body: larger })
  expect(await house.ended(operation.id)).toMatchObject({ type: 'replace', state: 'succeeded' })
  const others = house.serversOf(metadata.id).map(({ id }) => id)
  expect(others).toHaveLength(1)
  expect(others).not.toContain(before!.id)
  await expect.poll(async () => (await house.used()).cpuMillis).toBe(8_000)
})

test('a change that is refused is charged nothing, whatever it was refused for', async () => {
  const house = await InstanceHouse.open()
  await house.running('vm-1', machine())
  const before = await standing(house, 'vm-1')
  const stale = { 'if-match': '"1"' }
  for (const [status, code, part, headers] of [
    [409, 'replacement_required', { flavor: 'large', image: 'debian-12' }, {}],
    [412, 'stale', { flavor: 'large' }, stale],
    [422, 'invalid', { flavor: 'large', diskGiB: 1 }, {}],
    [422, 'invalid', { flavor: 'huge' }, {}],
  ] as const) {
    const answer = await house.call('PATCH', '/vm-1', { body: { spec: { source: { machine: part } } }, headers })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(await standing(house, 'vm-1')).toEqual(before)
  }
})

test('over quota nothing grows in place, and the answer says by how much', async () => {
  const house = await InstanceHouse.open()
  await house.running('web-1', services({ resources: { cpuMillis: 200, memoryMiB: 64 } }))
  await house.running('vm-1', machine())
  await house.limit({ cpuMillis: 1_500 })
  for (const [name, body, asked] of [
    ['web-1', { cpuMillis: 501 }, 301],
    ['vm-1', { flavor: 'large' }, 7_000],
  ] as const) {
    const before = await standing(house, name)
    expect(await house.must(403, 'POST', `/${name}/scale`, { body })).toMatchObject({
      ...{ code: 'quota_exceeded', kind: 'cpuMillis', limit: 1_500, used: 1_200, asked },
    })
    expect(await standing(house, name)).toEqual(before)
  }
  await house.must(202, 'POST', '/web-1/scale', { body: { cpuMillis: 500 } })
  expect((await house.used()).cpuMillis).toBe(1_500)
})
