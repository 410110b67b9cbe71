import { expect, test } from 'vitest'
import { InstanceHouse, machine } from './tests/house.ts'

const shop = '/v1/projects/acme%2Fshop'

const eventOf = async (house: InstanceHouse, name: string, reason: string) =>
  (await house.must(200, 'GET', `/${name}/events?reason=${reason}`)).items[0]

test('what ends with something else says with what and by whom, and so does its operation', async () => {
  const house = await InstanceHouse.open()
  await house.house.must(201, 'POST', `${shop}/networks`, {
    body: { name: 'n1', spec: { region: 'sim', cidr: '10.20.0.0/24' } },
  })
  const { metadata } = await house.running('vm-1', machine({ network: 'n1' }))
  const admin = await house.house.account('acme', 'ada', { role: 'org-admin' })
  // Nothing is done in the region, so it is still there to be asked.
  await house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode: 'maintenance' } } })
  await house.house.must(202, 'DELETE', `${shop}/networks/n1?cascade=true`, { token: admin.token })
  await expect.poll(async () => (await house.get('vm-1')).status.operation?.type).toBe('delete')
  expect(await eventOf(house, 'vm-1', 'DeleteRequested')).toMatchObject({
    message: 'with the network n1, by ada',
    object: { id: metadata.id },
  })
  const { operation } = (await house.get('vm-1')).status
  expect(await house.operation(operation.id)).toMatchObject({ type: 'delete', requestedBy: admin.id })
})

test('what was suspended says why, also when that is over', async () => {
  const house = await InstanceHouse.open()
  await house.running('vm-1', machine())
  await house.must(202, 'POST', '/vm-1/suspend', { body: { reason: 'unpaid since October' } })
  await house.must(202, 'POST', '/vm-1/unsuspend')
  expect((await eventOf(house, 'vm-1', 'SuspendRequested')).message).toMatch(/^unpaid since October, by /)
})
