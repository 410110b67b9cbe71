import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, millis, parseDuration } from './duration.ts'

test('reads compound durations', () => {
  expect(parseDuration('250ms')).toBe(250)
  expect(parseDuration('1h30m')).toBe(5_400_000)
  expect(parseDuration('2d')).toBe(172_800_000)
})

test('refuses what is not a duration', () => {
  for (const text of ['', '5', 'm', '5 m', '-5m', '1.5h', '5minutes', '99999999999999999999d'])
    expect(parseDuration(text)).toBeUndefined()
})

test('what it writes, it reads back', () =>
  fc.assert(fc.property(fc.nat(10_000_000_000), n => parseDuration(formatDuration(millis(n))) === n)))
