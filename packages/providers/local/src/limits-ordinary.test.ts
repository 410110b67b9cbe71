import { describeWith, temporaryDirectory } from '@stead/testing'
import { realWorld as world } from '@stead/world'
import { expect, test } from 'vitest'
import { local } from './definition.ts'
import { becomeOrdinary } from './tests/ordinary-user.ts'
import { owner, sleeper, TestRegion } from './tests/region.ts'

becomeOrdinary()

describeWith('namespaces', 'a user who may not make control groups', () => {
  test('runs services, is told that limits are not enforced, and still sees what they use', async () => {
    const region = await TestRegion.open({ isolation: 'basic' })
    try {
      expect(region.provider.capabilities().notes).toContain('limits are not enforced for cpu, memory, pids')
      const { id } = await region.running(sleeper)
      const sample = (await region.provider.metrics!([id])).get(id)
      expect(sample?.total.memoryBytes).toBeGreaterThan(0)
      expect(sample?.total.memoryLimitBytes).toBeNull()
    } finally {
      await region.close()
    }
  })

  test('is refused by a region that demands limits, with what would help', async () => {
    const configuration = {
      directory: temporaryDirectory(),
      isolation: 'basic' as const,
      requireLimits: true,
      forbidden: { paths: [], ports: [] },
    }
    const connect = local.connect({ configuration, credentials: {}, owner, world })
    await expect(connect).rejects.toThrow(/demands limits.*cpu, memory, pids.*run as root/)
  })
})
