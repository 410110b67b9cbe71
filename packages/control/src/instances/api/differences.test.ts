import { expect, test } from 'vitest'
import { InstanceHouse, machine } from '../tests/house.ts'

test('operators see which instances are not what they were made, and in what', async () => {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('vm-1', machine())
  await house.running('vm-2', machine())
  const differences = () => house.house.must(200, 'GET', '/v1/regions/sim/differences')
  expect(await differences()).toMatchObject({ items: [], total: 0 })

  const [active] = house.serversOf(metadata.id)
  const real = house.cloud.account().server(active!.status.backendId!)
  const { source } = real.spec
  real.change({ ...real.spec, source: { ...source, flavor: 'large' } as typeof source }, false)
  await expect.poll(async () => (await differences()).total).toBe(1)
  expect((await differences()).items).toEqual([
    {
      instance: {
        id: metadata.id,
        name: 'vm-1',
        organizationId: metadata.organizationId,
        projectId: metadata.projectId,
      },
      backendId: real.id,
      phase: 'running',
      differences: [{ field: 'flavor', wanted: 'small', found: 'large' }],
    },
  ])
  expect((await house.get('vm-1')).status.conditions).toMatchObject([{ type: 'Drift', message: 'its flavor is large' }])

  const { token } = await house.house.account('acme', 'robot', { role: 'org-admin' })
  await house.house.must(403, 'GET', '/v1/regions/sim/differences', { token })
})
