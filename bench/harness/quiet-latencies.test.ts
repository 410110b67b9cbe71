import { expect, test } from 'vitest'
import { QuietLatencies } from './quiet-latencies.ts'

/** Of a host that took so much in each of the moments, in each of which one wait of as many milliseconds as its number is seen. */
function worstOf(taken: readonly number[]): { readonly count: number; readonly worst: number } {
  let stolen = 0
  const latencies = new QuietLatencies(() => stolen)
  for (const [moment, seconds] of taken.entries()) {
    latencies.record(moment + 1)
    stolen += seconds
    latencies.endMoment()
  }
  const { count, worst } = latencies.end()
  return { count, worst: Math.round(worst) }
}

test('what was seen while the host took nothing counts', () =>
  expect(worstOf([0, 0, 0, 0])).toEqual({ count: 4, worst: 4 }))

test('what was seen while the host took the machine away does not, nor what was seen right after', () =>
  expect(worstOf([0, 0, 0, 0, 0.01, 0])).toEqual({ count: 4, worst: 4 }))

test('where hardly a moment was quiet, all count', () =>
  expect(worstOf([0, 0.1, 0.1, 0.1, 0.1])).toEqual({ count: 5, worst: 5 }))
