import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { traceOf, traceparent } from './trace.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

test("a caller's trace is continued with a span of our own", () => {
  const trace = traceOf(realWorld, `00-${traceId}-00f067aa0ba902b7-01`)
  expect(trace).toMatchObject({ traceId, flags: '01' })
  expect(trace.spanId).not.toBe('00f067aa0ba902b7')
  expect(traceparent(trace)).toBe(`00-${traceId}-${trace.spanId}-01`)
})

test('a later version with more fields is read as far as we know it', () =>
  expect(traceOf(realWorld, `01-${traceId}-00f067aa0ba902b7-03-more`)).toMatchObject({ traceId, flags: '01' }))

test.each([
  undefined,
  '',
  'nonsense',
  `ff-${traceId}-00f067aa0ba902b7-01`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-00f067aa0ba902b7-01-more`,
  `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
])('%s starts a new trace', header => {
  const trace = traceOf(realWorld, header)
  expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(trace.traceId).not.toBe(traceId)
})
