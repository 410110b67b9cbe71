import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Server } from '../model.ts'
import { decideLosses } from './losses.ts'

const some = (count: number) => Array.from({ length: count }, (_, id) => ({ id: String(id) }) as Server)
const decide = (missing: number, expected: number, more: { recent?: number; accepted?: boolean } = {}) =>
  decideLosses({ missing: some(missing), expected, recent: 0, accepted: false, ...more })

test('few are asked for, one by one; none at all needs nothing', () => {
  expect(decide(0, 100)).toEqual({ type: 'none' })
  expect(decide(9, 9)).toMatchObject({ type: 'confirm' })
  expect(decide(20, 100)).toMatchObject({ type: 'confirm' })
})

test('ten and more than a fifth of a region are not believed', () => {
  expect(decide(10, 49)).toEqual({ type: 'guard', count: 10, expected: 49 })
  expect(decide(21, 100)).toEqual({ type: 'guard', count: 21, expected: 100 })
})

test('what was lost a short while ago counts: many small losses are a large one', () =>
  expect(decide(3, 20, { recent: 8 })).toEqual({ type: 'guard', count: 11, expected: 28 }))

test('what an operator accepts is asked for all the same', () =>
  expect(decide(50, 50, { accepted: true })).toMatchObject({ type: 'confirm' }))

test('never is anything believed of ten or more that are more than a fifth, unless accepted', () =>
  fc.assert(
    fc.property(fc.nat(300), fc.nat(300), fc.nat(50), (missing, others, recent) => {
      const count = missing + recent
      const all = missing + others + recent
      fc.pre(missing > 0 && count >= 10 && count > 0.2 * all)
      expect(decide(missing, missing + others, { recent }).type).toBe('guard')
    }),
  ))
