import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instant, isoTime } from './instant.ts'

test('a moment is shown as Date shows it', () =>
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), date => {
      expect(isoTime(instant(date.getTime()))).toBe(date.toISOString())
    }),
    { numRuns: 2_000 },
  ))

test('moments that are no time at all are refused, as Date refuses them', () => {
  expect(() => isoTime(instant(Number.NaN))).toThrow(RangeError)
  expect(() => isoTime(instant(9e15))).toThrow(RangeError)
})
