import type { StoredRecord } from '@stead/engine'
import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRecords, mostCounted, type RecordSource, readPage, type Wanted } from './read.ts'

/** Records as a store answers them, with how many reads it took. */
function counted(all: readonly StoredRecord[]): { readonly source: RecordSource; reads: number; rows: number } {
  const newestFirst = all.toSorted((a, b) => b.sequence - a.sequence)
  const answer = {
    reads: 0,
    rows: 0,
    async source(before: number | undefined, limit: number) {
      const found = newestFirst
        .filter(({ sequence }) => sequence < (before ?? Number.POSITIVE_INFINITY))
        .slice(0, limit)
      answer.reads += 1
      answer.rows += found.length
      return found
    },
  }
  return answer
}

const record = (sequence: number, at: number): StoredRecord => ({
  sequence,
  at: instant(at),
  table: 'events',
  scope: 's',
  subject: 'w',
  body: sequence % 7,
})

/** Sequences with holes of any size, and times that never go back. */
const anyRecords = fc
  .array(
    fc.record({ gap: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 100_000 })), wait: fc.nat(3) }),
  )
  .map(steps => {
    let [sequence, at] = [0, 100]
    return steps.map(({ gap, wait }) => {
      sequence += gap
      at += wait
      return record(sequence, at)
    })
  })

const anyWanted: fc.Arbitrary<Wanted> = fc.record(
  {
    since: fc.integer({ min: 90, max: 150 }).map(instant),
    until: fc.integer({ min: 90, max: 150 }).map(instant),
    matches: fc.nat(7).map(
      wanted =>
        ({ body }: StoredRecord) =>
          (body as number) <= wanted,
    ),
  },
  { requiredKeys: [] },
)

test('pages together are what is wanted, each record once, newest first', () =>
  fc.assert(
    fc.asyncProperty(anyRecords, anyWanted, fc.integer({ min: 1, max: 9 }), async (all, wanted, limit) => {
      const { source } = counted(all)
      const found: StoredRecord[] = []
      for (let before: number | undefined; ; ) {
        const page = await readPage(source, wanted, { before, limit })
        expect(page.records.length).toBeLessThanOrEqual(limit)
        found.push(...page.records)
        if (page.next === undefined) break
        before = page.next
      }
      const { since = 0, until = Number.POSITIVE_INFINITY, matches = () => true } = wanted
      expect(found).toEqual(all.filter(each => each.at >= since && each.at < until && matches(each)).toReversed())
      expect(await countRecords(source, wanted)).toEqual({ count: found.length, isExact: true })
    }),
  ))

test('a page of long ago is found in few reads, wherever its records lie', async () => {
  const all = Array.from({ length: 5_000 }, (_, n) => record(1_000_000_000 + n * 3, n))
  const store = counted(all)
  const page = await readPage(store.source, { until: instant(100) }, { before: undefined, limit: 10 })
  expect(page.records[0]).toEqual(all[99])
  expect(store.reads).toBeLessThan(40)
  expect(store.rows).toBeLessThan(60)
})

test('what is rare is looked for only so far, and then from there on', async () => {
  const all = Array.from({ length: 25_000 }, (_, n) => record(n + 1, n))
  const store = counted(all)
  const wanted = { matches: ({ sequence }: StoredRecord) => sequence === 3 }
  const pages: number[] = []
  for (let before: number | undefined; ; ) {
    const page = await readPage(store.source, wanted, { before, limit: 10 })
    pages.push(page.records.length)
    if (page.next === undefined) break
    before = page.next
  }
  expect(pages).toEqual([0, 0, 1])
})

test('more than can be counted is said to be more', async () => {
  const { source } = counted(Array.from({ length: mostCounted + 1 }, (_, n) => record(n + 1, n)))
  expect(await countRecords(source, {})).toEqual({ count: mostCounted, isExact: false })
})
