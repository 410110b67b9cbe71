import { expect, test } from 'vitest'
import { backoff } from './order.ts'

test('waiting doubles up to a minute', () => {
  expect([0, 1, 2, 3].map(backoff)).toEqual([250, 500, 1_000, 2_000])
  expect(backoff(1_000)).toBe(60_000)
})
