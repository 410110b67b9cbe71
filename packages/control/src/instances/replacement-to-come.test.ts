import { describe, expect, test } from 'vitest'
import { InstanceHouse, machine } from './tests/house.ts'

const key = (letter: string) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${letter.repeat(43)}`
const keys = (letter: string) => ({ body: { spec: { source: { machine: { sshKeys: [key(letter)] } } } } })
const isPaused = (paused: boolean) => ({ body: { spec: { paused } } })

/** A machine that is to be replaced, and cannot be as long as it is paused. */
async function waiting() {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('vm-1', machine({ sshKeys: [key('A')] }))
  await house.must(202, 'PATCH', '/vm-1', isPaused(true))
  const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', keys('B'))
  const serverIds = () => house.serversOf(metadata.id).map(({ id }) => id)
  return { house, replace: operation.id as string, serverIds, before: serverIds() }
}

describe('a replacement that has not begun', () => {
  test('goes on when what keeps it is taken away, and needs no second consent for that', async () => {
    const { house, replace, serverIds, before } = await waiting()
    await house.must(202, 'PATCH', '/vm-1', { body: { labels: { tier: 'web' } } })
    const { operation } = await house.must(202, 'PATCH', '/vm-1', isPaused(false))
    expect(await house.ended(replace)).toMatchObject({ type: 'replace', state: 'succeeded' })
    expect(await house.ended(operation.id)).toMatchObject({ state: 'succeeded' })
    expect(serverIds()).not.toEqual(before)
    expect((await house.get('vm-1')).status).toMatchObject({ ready: true, conditions: [] })
  })

  test('can be taken back, which costs nothing', async () => {
    const { house, replace, serverIds, before } = await waiting()
    expect(await house.must(200, 'POST', '/vm-1/plan', keys('A'))).toMatchObject({ effect: 'inPlace', loses: [] })
    await house.must(202, 'PATCH', '/vm-1', keys('A'))
    expect(await house.operation(replace)).toMatchObject({ state: 'superseded' })
    await house.must(202, 'PATCH', '/vm-1', isPaused(false))
    expect((await house.settled('vm-1')).status).toMatchObject({ ready: true, conditions: [] })
    expect(serverIds()).toEqual(before)
  })

  test('can become another, which needs consent of its own', async () => {
    const { house, replace } = await waiting()
    expect((await house.must(409, 'PATCH', '/vm-1', keys('C'))).code).toBe('replacement_required')
    expect(await house.operation(replace)).not.toHaveProperty('endedAt')
    const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', keys('C'))
    expect(await house.operation(replace)).toMatchObject({ state: 'superseded' })
    await house.must(202, 'PATCH', '/vm-1', isPaused(false))
    expect(await house.ended(operation.id)).toMatchObject({ state: 'succeeded' })
  })

  test('keeps nobody from its power where a region takes nothing new', async () => {
    const house = await InstanceHouse.open()
    await house.running('vm-1', machine())
    const mode = (mode: string) => house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode } } })
    await mode('draining')
    const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', keys('B'))
    await expect
      .poll(async () => (await house.get('vm-1')).status.conditions)
      .toMatchObject([{ reason: 'RegionClosed' }])
    const stop = await house.must(202, 'POST', '/vm-1/stop')
    expect(await house.ended(stop.operation.id)).toMatchObject({ state: 'succeeded' })
    await house.until('vm-1', 'stopped')
    await mode('active')
    expect(await house.ended(operation.id)).toMatchObject({ type: 'replace', state: 'succeeded' })
    expect((await house.get('vm-1')).status).toMatchObject({ phase: 'stopped', observedGeneration: 3, conditions: [] })
  })
})
