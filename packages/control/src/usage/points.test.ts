import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coarser, type Point, pack, unpack } from './points.ts'
import { type Reading, readingNames, rounded } from './reading.ts'

const value = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }).map(number => rounded(number)!))
const reading = fc.record(Object.fromEntries(readingNames.map(name => [name, value]))) as fc.Arbitrary<Reading>
/** A service of which nothing is known is not told apart from one that is not there. */
const known = reading.map(each => ({ ...each, cpu: each.cpu ?? 0 }))
const point = fc.tuple(fc.nat(100_000), reading, fc.option(known), fc.option(known)).map(
  ([at, total, web, job]): Point => ({
    at,
    readings: { '': total, ...(web && { web }), ...(job && { job }) },
  }),
)
const points = fc
  .uniqueArray(point, { selector: ({ at }) => at, maxLength: 30 })
  .map(all => all.sort((a, b) => a.at - b.at))

test('what is put away is taken out again', () =>
  fc.assert(
    fc.property(points, all => {
      expect(unpack(pack(all))).toEqual(all)
    }),
  ))

test('means are made of what is known in a step, and a step without anything is a gap', () => {
  const of = (cpu: number | null): Reading => ({
    ...(Object.fromEntries(readingNames.map(name => [name, null])) as Reading),
    cpu,
  })
  const all = [
    { at: 60_010, readings: { '': of(1), web: of(null) } },
    { at: 60_020, readings: { '': of(null), web: of(4) } },
    { at: 60_030, readings: { '': of(2) } },
    { at: 180_000, readings: { '': of(0) } },
  ]
  const found = coarser(all, 60_000)
  expect(found.map(({ at }) => at)).toEqual([60_000, 180_000])
  expect(found.map(({ readings }) => readings['']?.cpu)).toEqual([1.5, 0])
  expect(found[0]!.readings.web!.cpu).toBe(4)
})

test('a day of a steady instance, minute by minute, takes little room', () => {
  const steady = (n: number): Reading => ({
    ...{
      cpu: 0.1 + (n % 7) / 1e3,
      memoryBytes: 104_857_600 + (n % 5) * 4_096,
      memoryLimitBytes: 268_435_456,
      diskUsedBytes: null,
    },
    ...{
      diskReadBytesPerSecond: 0,
      diskWrittenBytesPerSecond: n % 3,
      networkReceivedBytesPerSecond: 900,
      networkSentBytesPerSecond: 300,
    },
  })
  const hour = Array.from({ length: 60 }, (_, n) => ({ at: n * 60_000, readings: { '': steady(n) } }))
  expect(pack(hour).length / 60).toBeLessThan(25)
})
