import { expect, test } from 'vitest'
import { Latencies } from './latencies.ts'
import { median, ratios } from './statistics.ts'

test('the median is the middle one, or the mean of the middle two, whatever the order', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([10, 1, 4, 2])).toBe(3)
  expect(() => median([])).toThrow('nothing')
})

test('ratios are taken round by round and refuse rounds that do not match', () => {
  expect(ratios([10, 30], [20, 10])).toEqual([0.5, 3])
  expect(() => ratios([1], [1, 2])).toThrow('1 rounds beside 2')
})

test('percentiles come back in the unit they were recorded in', () => {
  const latencies = new Latencies()
  for (let i = 1; i <= 1_000; i++) latencies.record(i / 10)
  expect(latencies.count).toBe(1_000)
  expect(latencies.percentile(50)).toBeCloseTo(50, 0)
  expect(latencies.percentile(99)).toBeCloseTo(99, 0)
  expect(latencies.worst).toBeCloseTo(100, 0)
  latencies.record(-0.01)
  expect(latencies.percentile(0.01)).toBe(0.001)
})
