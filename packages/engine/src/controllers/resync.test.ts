import { minutes } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pace } from './resync.ts'

test('any number of keys is walked through within the period, in steps that are neither many nor large', () =>
  fc.assert(
    fc.property(fc.nat(1_000_000), count => {
      const period = minutes(10)
      const { pause, batch } = pace(count, period)
      const rounds = Math.ceil(count / batch)
      expect(rounds * pause).toBeLessThanOrEqual(period + pause)
      expect(pause).toBeGreaterThanOrEqual(1_000)
      expect(batch).toBeLessThanOrEqual(Math.max(1, Math.ceil(count / 600)))
    }),
  ))
