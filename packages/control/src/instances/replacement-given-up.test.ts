import { describe, expect, test } from 'vitest'
import { InstanceHouse, services } from './tests/house.ts'

const patch = (web: object) => ({ body: { spec: { source: { services: { services: { web } } } } } })
const image = patch({ image: 'other' })

/** Services whose replacement has failed: the old ones run. */
async function failed() {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('web', services({ env: { A: '1' } }))
  const serverIds = () => house.serversOf(metadata.id).map(({ id }) => id)
  const before = serverIds()
  house.cloud.script('bootFailure', { times: 1 })
  const { operation } = await house.must(202, 'PATCH', '/web?allow=replace', image)
  expect(await house.ended(operation.id)).toMatchObject({ state: 'failed' })
  await expect.poll(serverIds).toEqual(before)
  const change = async (path: string, options: { body: object }) => {
    const answer = await house.must(202, 'PATCH', `/web${path}`, options)
    return house.ended(answer.operation.id)
  }
  return { house, change, serverIds, before }
}

describe('after a replacement that was given up', () => {
  test('labels, policies and power are changed by themselves, and nothing is tried again', async () => {
    const { house, change, serverIds, before } = await failed()
    for (const body of [
      { labels: { tier: 'web' } },
      { spec: { deletionProtection: true } },
      { spec: { power: 'off' } },
      { spec: { power: 'on' } },
    ]) {
      expect(await house.must(200, 'POST', '/web/plan', { body })).toMatchObject({ effect: 'inPlace', loses: [] })
      expect(await change('', { body })).toMatchObject({ type: 'update', state: 'succeeded' })
    }
    expect(serverIds()).toEqual(before)
    expect((await house.until('web', 'running')).status).toMatchObject({
      ready: false,
      conditions: [{ type: 'Trouble', reason: 'ReplacementFailed' }],
    })
  })

  test('going back to what runs costs nothing, also with something that is changed in place', async () => {
    const { house, change, serverIds, before } = await failed()
    expect(await house.must(200, 'POST', '/web/plan', patch({ image: 'host' }))).toMatchObject({
      effect: 'inPlace',
      changes: [{ from: 'other', to: 'host', effect: 'inPlace' }],
      loses: [],
    })
    expect(await change('', patch({ image: 'host', env: { A: '2' } }))).toMatchObject({ state: 'succeeded' })
    expect(serverIds()).toEqual(before)
    expect((await house.get('web')).status).toMatchObject({ ready: true, conditions: [] })
  })

  test('whatever else is launched comes with what was given up, and needs consent', async () => {
    const { house, change, serverIds, before } = await failed()
    expect(await house.must(409, 'PATCH', '/web', patch({ env: { A: '2' } }))).toMatchObject({
      code: 'replacement_required',
      plan: { effect: 'replace', changes: [{ effect: 'restart' }] },
    })
    expect(await change('?allow=replace', patch({ env: { A: '2' } }))).toMatchObject({
      ...{ type: 'replace', state: 'succeeded' },
    })
    expect(serverIds()).not.toEqual(before)
    expect((await house.get('web')).status).toMatchObject({ ready: true, conditions: [] })
  })

  test('the same, sent again with consent, is tried anew', async () => {
    const { house, change } = await failed()
    expect(await house.must(202, 'PATCH', '/web', image)).not.toHaveProperty('operation')
    expect((await house.must(409, 'PATCH', '/web?allow=rebuild', image)).code).toBe('replacement_required')
    expect(await change('?allow=replace', image)).toMatchObject({ type: 'replace', state: 'succeeded' })
    expect(await house.used()).toEqual({ instances: 1 })
  })
})
