import { expect, test } from 'vitest'
import { InstanceHouse, machine } from './tests/house.ts'

/** What the cloud itself has behind an instance. */
function behind(house: InstanceHouse, id: string) {
  return house.cloud.account().server(house.serversOf(id)[0]!.status.backendId!)
}

test('what is paused is shown as it is and left alone, until it is deleted', async () => {
  const house = await InstanceHouse.open()
  const [paused, other] = await Promise.all(['vm-1', 'vm-2'].map(name => house.running(name, machine())))
  await house.must(202, 'PATCH', '/vm-1', { body: { spec: { paused: true } } })
  const conditions = [{ type: 'Trouble', reason: 'Paused' }]
  await expect.poll(async () => (await house.get('vm-1')).status).toMatchObject({ conditions })
  const server = behind(house, paused.metadata.id)
  const { boots } = server

  // What is done to the other in the same way says when enough time has passed.
  for (const name of ['vm-1', 'vm-2']) await house.must(202, 'POST', `/${name}/stop`)
  await house.until('vm-2', 'stopped')
  expect(server).toMatchObject({ state: 'active', boots })
  expect(await house.get('vm-1')).toMatchObject({
    spec: { power: 'off' },
    status: { phase: 'running', power: 'on', ready: false, conditions },
  })

  for (const name of ['vm-1', 'vm-2']) await house.must(202, 'POST', `/${name}/start`)
  await house.until('vm-2', 'running', '&ready=true')
  for (const { metadata } of [paused, other]) house.cloud.crash(behind(house, metadata.id).id)
  await expect.poll(async () => (await house.get('vm-1')).status.power).toBe('off')
  await expect.poll(() => house.events('vm-2')).toContain('Crashed')
  await house.until('vm-2', 'running', '&ready=true')
  expect(server).toMatchObject({ state: 'halted', boots })
  expect((await house.get('vm-1')).status).toMatchObject({ phase: 'stopped', ready: false })

  await house.must(202, 'DELETE', '/vm-1')
  await house.gone('vm-1')
  expect(house.backends().map(({ id }) => id)).toEqual([behind(house, other.metadata.id).id])
})

test('a state that nobody knows is shown as unknown and not as ready, and nothing is done about it', async () => {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('vm-1', machine())
  const server = behind(house, metadata.id)
  const { boots } = server
  const becomes = (word: string) => {
    server.state = word as typeof server.state
    // It looks different now, and whoever watches is told.
    server.retag(server.tags)
  }
  becomes('migrating')
  await expect.poll(async () => (await house.get('vm-1')).status.power).toBe('unknown')
  const { status } = await house.get('vm-1')
  expect(status).toMatchObject({ power: 'unknown', health: 'unknown', ready: false })
  expect(status.phase).not.toBe('pending')
  expect((await house.must(200, 'GET', '?phase=pending,provisioning')).items).toEqual([])
  expect((await house.must(409, 'POST', '/vm-1/console', { body: {} })).code).toBe('not_ready')
  becomes('active')
  expect((await house.until('vm-1', 'running', '&ready=true')).status.power).toBe('on')
  expect(server.boots).toBe(boots)
})
