import { seconds, VirtualWorld } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { addressGroup, RateLimit } from './rate-limit.ts'

const setUp = () => {
  const world = new VirtualWorld({ seed: 1 })
  return { world, limit: new RateLimit({ burst: 3, perSecond: 2 }, world) }
}

describe('a rate limit', () => {
  test('lets a burst through, then says how long to wait', () => {
    const { limit } = setUp()
    expect([1, 2, 3].map(() => limit.take('a'))).toEqual([undefined, undefined, undefined])
    expect(limit.take('a')).toBe(500)
    expect(limit.take('a'), 'being refused costs nothing').toBe(500)
  })

  test('refills with time, up to the burst', async () => {
    const { world, limit } = setUp()
    for (const _ of [1, 2, 3]) limit.take('a')
    await world.runFor(seconds(1))
    expect([1, 2].map(() => limit.take('a'))).toEqual([undefined, undefined])
    expect(limit.take('a')).toBe(500)
    await world.runFor(seconds(3_600))
    expect([1, 2, 3, 4].map(() => limit.take('a'))).toEqual([undefined, undefined, undefined, 500])
  })

  test('counts each name on its own', () => {
    const { limit } = setUp()
    for (const _ of [1, 2, 3, 4]) limit.take('a')
    expect(limit.take('b')).toBeUndefined()
  })

  test('remembers a bounded number of names, the last used ones', async () => {
    const world = new VirtualWorld({ seed: 1 })
    const limit = new RateLimit({ burst: 3, perSecond: 0.001 }, world)
    for (const _ of [1, 2, 3, 4]) limit.take('kept')
    for (let round = 0; round < 6; round++) {
      await world.runFor(seconds(1))
      limit.take('kept')
      for (let index = 0; index < 5_000; index++) limit.take(`other ${round} ${index}`)
    }
    expect(limit.size).toBe(20_000)
    expect(limit.take('kept')).toBeGreaterThan(0)
  })
})

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, group) => expect(addressGroup(address)).toBe(group))
