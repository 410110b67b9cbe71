import { expect, test } from 'vitest'
import { InstanceHouse, services } from './tests/house.ts'

/** Services that no region can launch. */
async function refused() {
  const house = await InstanceHouse.open()
  const { metadata, operation } = await house.create('web', services({ image: 'missing' }))
  expect(await house.ended(operation.id)).toMatchObject({ state: 'failed', error: { code: 'InvalidConfig' } })
  const serverIds = () => house.serversOf(metadata.id).map(({ id }) => id)
  const ask = async (method: string, path: string, body: object = {}) => {
    const answer = await house.must(202, method, `/web${path}`, { body })
    return house.ended(answer.operation.id)
  }
  return { house, serverIds, ask }
}

test('a launch that was refused is not tried again by a stop, a policy or a label', async () => {
  const { house, serverIds, ask } = await refused()
  const before = serverIds()
  for (const body of [{ spec: { deletionProtection: true } }, { labels: { tier: 'web' } }])
    expect(await ask('PATCH', '', body)).toMatchObject({ state: 'succeeded' })
  expect(await ask('POST', '/stop')).toMatchObject({ type: 'stop', state: 'succeeded' })
  expect(await house.get('web')).toMatchObject({
    spec: { power: 'off' },
    status: { phase: 'failed', conditions: [{ reason: 'InvalidConfig' }], operation: null },
  })
  expect(serverIds()).toEqual(before)
})

test('a launch that was refused is tried again by a start, and by a change of what is launched', async () => {
  const { house, serverIds, ask } = await refused()
  const before = serverIds()
  expect(await ask('POST', '/stop')).toMatchObject({ state: 'succeeded' })
  const on = { spec: { power: 'on' } }
  expect(await ask('PATCH', '', on)).toMatchObject({ state: 'failed', error: { code: 'InvalidConfig' } })
  expect(serverIds()).not.toEqual(before)
  const image = { spec: { source: { services: { services: { web: { image: 'host' } } } } } }
  expect(await ask('PATCH', '', image)).toMatchObject({ state: 'succeeded' })
  expect((await house.get('web')).status).toMatchObject({ phase: 'running', ready: true, conditions: [] })
})
