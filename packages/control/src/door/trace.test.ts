import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { type Trace, Traces, traceparent } from './trace.ts'

const traceOf = (header: string | undefined): Trace => new Traces(realWorld).of(header)

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

test("a caller's trace is continued with a span of our own", () => {
  const trace = traceOf(`00-${traceId}-00f067aa0ba902b7-01`)
  expect(trace).toMatchObject({ traceId, parentId: '00f067aa0ba902b7', flags: '01' })
  expect(trace.spanId).not.toBe('00f067aa0ba902b7')
  expect(traceparent(trace)).toBe(`00-${traceId}-${trace.spanId}-01`)
})

test('a later version with more fields is read as far as we know it', () =>
  expect(traceOf(`01-${traceId}-00f067aa0ba902b7-03-more`)).toMatchObject({ traceId, flags: '01' }))

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
  const trace = traceOf(header)
  expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(trace.traceId).not.toBe(traceId)
})

test('no two requests have the same ids, however many there are', () => {
  const traces = new Traces(realWorld)
  const drawn = Array.from({ length: 1_000 }, () => traces.of(undefined))
  for (const { traceId, spanId } of drawn) expect(`${traceId} ${spanId}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/)
  expect(new Set(drawn.flatMap(({ traceId, spanId }) => [traceId.slice(0, 16), traceId.slice(16), spanId])).size).toBe(
    3_000,
  )
})

test('whoever began a trace says whether it is recorded', () => {
  const all = new Traces(realWorld, () => true)
  expect(all.of(undefined).parentId).toBeUndefined()
  expect(all.of(undefined)).toMatchObject({ flags: '01' })
  expect(all.of(`00-${traceId}-00f067aa0ba902b7-00`)).toMatchObject({ flags: '00' })
  expect(traceOf(undefined)).toMatchObject({ flags: '00' })
})
