import { type MetricsSample, type Usage, unknownUsage } from '@stead/provider-kit'
import { instant, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { readingsOf, whole } from './reading.ts'

const sample = (
  at: number,
  since: number | null,
  total: Partial<Usage>,
  services: Record<string, Partial<Usage>> = {},
) => {
  const full = (usage: Partial<Usage>) => ({ ...unknownUsage, ...usage })
  const all = Object.fromEntries(Object.entries(services).map(([name, usage]) => [name, full(usage)]))
  return {
    at: instant(at * 1_000),
    since: since === null ? null : instant(since),
    total: full(total),
    services: all,
  } satisfies MetricsSample
}
const minute = seconds(60)
const totalOf = (now: MetricsSample, before?: MetricsSample) => readingsOf(now, before, minute)[whole]

test('a counter is a rate over the time between two samples', () =>
  expect(
    totalOf(
      sample(20, 1, { cpuSeconds: 15, networkSentBytes: 3_000 }),
      sample(10, 1, { cpuSeconds: 10, networkSentBytes: 1_000 }),
    ),
  ).toMatchObject({ cpu: 0.5, networkSentBytesPerSecond: 200, memoryBytes: null, diskReadBytesPerSecond: null }))

test.each([
  ['there was no sample before', undefined],
  ['counters began anew', sample(10, 2, { cpuSeconds: 10 })],
  ['a counter has shrunk', sample(10, 1, { cpuSeconds: 99 })],
  ['the sample before is too old', sample(-100, 1, { cpuSeconds: 10 })],
  ['the sample is the same one', sample(20, 1, { cpuSeconds: 15 })],
  ['it was not known before', sample(10, 1, {})],
])('no rate is known when %s, and what needs none is', (_why, before) =>
  expect(totalOf(sample(20, 1, { cpuSeconds: 15, memoryBytes: 7 }), before)).toMatchObject({
    cpu: null,
    memoryBytes: 7,
  }),
)

test('a backend that only tells its own mean is believed', () =>
  expect(totalOf(sample(20, null, { cpuMillis: 250 }))).toMatchObject({ cpu: 0.25 }))

test('each service has its own, and a new one no rate yet', () => {
  const before = sample(10, 1, {}, { web: { cpuSeconds: 1 } })
  const now = sample(20, 1, {}, { web: { cpuSeconds: 2 }, job: { cpuSeconds: 5, memoryBytes: 0 } })
  expect(readingsOf(now, before, minute)).toMatchObject({ web: { cpu: 0.1 }, job: { cpu: null, memoryBytes: 0 } })
})
