import { minutes } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { InstanceHouse, services } from './tests/house.ts'

/** Longer than anything here takes, to see that nothing is done. */
const aWhile = () => new Promise(resolve => setTimeout(resolve, 1_000))

/** One that is stopped, and then started by somebody at the backend. */
async function startedBehindOurBack(drift: 'report' | 'repair') {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('web-1', { ...services(), drift })
  await house.must(202, 'POST', '/web-1/stop')
  await house.until('web-1', 'stopped')
  await house.settled('web-1')
  const server = () => house.serversOf(metadata.id)[0]!
  house.cloud.account().servers.get(server().status.backendId!)!.start()
  return { house, server, conditions: async () => (await house.get('web-1')).status.conditions }
}

describe('what runs though it should be off', () => {
  test('is stopped again where drift is to be repaired', async () => {
    const { house, server, conditions } = await startedBehindOurBack('repair')
    await expect.poll(() => server().spec.restart?.sequence).toBe(1)
    await house.until('web-1', 'stopped')
    await expect.poll(() => house.backends().map(({ state }) => state)).toEqual(['halted'])
    await expect.poll(conditions).toEqual([])
    expect((await house.get('web-1')).spec.power).toBe('off')
  })

  test('is told and left so where drift is only reported', async () => {
    const { house, server, conditions } = await startedBehindOurBack('report')
    const drifted = { type: 'Drift', status: 'true', reason: 'Drifted', message: 'it runs, and should be off' }
    await expect.poll(conditions).toMatchObject([drifted])
    await aWhile()
    expect(house.backends()).toMatchObject([{ state: 'active' }])
    expect(server().spec).toMatchObject({ power: 'off' })
    expect(server().spec.restart).toBeUndefined()
    expect(await conditions()).toMatchObject([drifted])
  })
})

/** It runs, and is changed. */
async function patched(spec: object) {
  const house = await InstanceHouse.open()
  await house.running('web-1')
  const { operation } = await house.must(202, 'PATCH', '/web-1', { body: { spec } })
  return { house, operation }
}

test('a time to live that is over when it is set ends it at once, and the change with it', async () => {
  const { house, operation } = await patched({ ttl: '1ms' })
  await house.gone('web-1')
  expect(await house.ended(operation.id)).toMatchObject({ type: 'update', state: 'superseded' })
})

describe('what is paused', () => {
  test('is deleted when its time to live is over', async () => {
    const { house } = await patched({ paused: true, ttl: '1s' })
    await house.gone('web-1')
    expect(house.backends()).toEqual([])
  })

  test('is not stopped however long nobody uses it, until it is paused no longer', async () => {
    const { house } = await patched({ paused: true, idleStop: '100ms' })
    await aWhile()
    expect(await house.get('web-1')).toMatchObject({ spec: { power: 'on' }, status: { phase: 'running' } })
    await house.must(202, 'PATCH', '/web-1', { body: { spec: { paused: false } } })
    await house.until('web-1', 'stopped')
    expect((await house.get('web-1')).spec.power).toBe('off')
  })

  test('says so when what was asked of it takes longer than 20 minutes, in whatever phase it is', async () => {
    const { house } = await patched({ paused: true })
    await house.settled('web-1')
    await house.must(202, 'POST', '/web-1/stop')
    const conditions = async () => (await house.get('web-1')).status.conditions
    const paused = { type: 'Trouble', reason: 'Paused' }
    house.house.pass(minutes(19))
    await house.must(202, 'PATCH', '/web-1', { body: { metadata: { labels: { look: 'once' } } } })
    await aWhile()
    expect(await conditions()).toMatchObject([paused])
    house.house.pass(minutes(1))
    await house.must(202, 'PATCH', '/web-1', { body: { metadata: { labels: { look: 'twice' } } } })
    const stuck = { type: 'Stuck', message: 'the operation stop takes too long: it is only looked at' }
    await expect.poll(conditions).toMatchObject([paused, stuck])
    expect((await house.get('web-1')).status.phase).toBe('running')
    expect((await house.events('web-1')).filter(reason => reason === 'Stuck')).toHaveLength(1)
  })
})
