import { expect, test } from 'vitest'
import { InstanceHouse, machine, services } from './tests/house.ts'

test('an instance is accepted, made, read, and gone without a trace', async () => {
  const house = await InstanceHouse.open()
  const made = await house.create('web-1', services({ resources: { cpuMillis: 200, memoryMiB: 128 } }))
  expect(made).toMatchObject({
    metadata: { name: 'web-1', generation: 1, deletedAt: null },
    spec: {
      power: 'on',
      onServerLoss: 'fail',
      onCrash: 'restart',
      drift: 'report',
      region: expect.stringMatching(/^reg_/),
    },
    status: { phase: 'pending', ready: false, power: 'unknown', health: 'unknown', observedGeneration: 0 },
    operation: { id: expect.stringMatching(/^op_/), type: 'create' },
  })
  expect(await house.used()).toEqual({ instances: 1, cpuMillis: 200, memoryMiB: 128 })
  const running = await house.until('web-1', 'running', '&ready=true')
  expect(running.status).toMatchObject({
    power: 'on',
    health: 'healthy',
    observedGeneration: 1,
    operation: null,
    addresses: { private: [expect.any(String)] },
    endpoints: [{ service: 'web', name: 'http', protocol: 'tcp' }],
    services: { web: { state: 'running', ready: true, restarts: 0 } },
  })
  expect(running.status).not.toHaveProperty('slots')
  const create = await house.operation(made.operation.id)
  expect(create).toMatchObject({ type: 'create', state: 'succeeded', subject: { name: 'web-1' } })
  expect(await house.events('web-1')).toEqual(['Created', 'Provisioning', 'Running'])
  const deleted = await house.must(202, 'DELETE', '/web-1')
  expect(deleted.metadata.deletedAt).not.toBeNull()
  expect((await house.must(202, 'DELETE', '/web-1')).operation).toEqual(deleted.operation)
  await house.gone('web-1')
  expect(await house.ended(deleted.operation.id)).toMatchObject({ type: 'delete', state: 'succeeded' })
  expect(await house.used()).toEqual({})
  expect(house.backends()).toEqual([])
  await house.create('web-1')
})

test('a machine is made of what its region offers, and charged for that', async () => {
  const house = await InstanceHouse.open()
  const { spec, status } = await house.running('vm-1', machine({ publicIp: true, userData: '#cloud-config\n' }))
  expect(spec.source.machine).toEqual({
    flavor: 'small',
    image: 'minimal',
    publicIp: true,
    userData: { sealed: expect.any(String), sizeBytes: 14 },
  })
  expect(status).toMatchObject({ phase: 'running', power: 'on', health: 'unknown', ready: true })
  expect(await house.used()).toEqual({ instances: 1, cpuMillis: 1_000, memoryMiB: 1_024, diskGiB: 10, publicIps: 1 })
})
