import { millis } from '@stead/world'
import { expect, test } from 'vitest'
import { Currency } from './currency.ts'

test('always a little behind a head that never rests is a small lag', () => {
  const currency = new Currency(millis(0))
  for (let time = 0; time <= 60_000; time += 2)
    currency.observe(Math.floor(time / 2), Math.floor(time / 2) + 3, millis(time))
  expect(currency.lag(millis(60_000))).toBeLessThanOrEqual(14)
})

test('standing still behind the head is a lag that grows', () => {
  const currency = new Currency(millis(0))
  currency.observe(5, 5, millis(1_000))
  for (let time = 2_000; time <= 9_000; time += 100) currency.observe(5, time, millis(time))
  expect(currency.lag(millis(9_000))).toBe(8_000)
})

test('passing the mark proves what was known at the mark, not more', () => {
  const currency = new Currency(millis(0))
  currency.observe(5, 7, millis(1_000))
  currency.observe(7, 9, millis(4_000))
  expect(currency.lag(millis(4_000))).toBe(3_000)
})
