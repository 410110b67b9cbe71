import { millis, minutes } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoff } from './backoff.ts'

const options = { first: millis(5), cap: minutes(5) }

test('doubles from the first, with the upper half at random', () => {
  expect([1, 2, 3, 4].map(failures => backoff(options, failures, 0))).toEqual([2.5, 5, 10, 20])
  expect([1, 2, 3, 4].map(failures => backoff(options, failures, 1))).toEqual([5, 10, 20, 40])
})

test('never passes the cap nor drops below half of it again, however long it fails', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 17, max: 100_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const delay = backoff(options, failures, random)
        expect(delay).toBeLessThanOrEqual(300_000)
        expect(delay).toBeGreaterThanOrEqual(150_000)
      },
    ),
  ))
