import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widget } from '../tests/widgets.ts'
import { type Bucket, type Cell, chunkSize, sizeOf, visit, withCell, withoutCell } from './bucket.ts'

const cells = new Map<number, Cell>()
function cell(n: number): Cell {
  const id = `wid_${String(n).padStart(6, '0')}`
  if (!cells.has(n)) cells.set(n, { object: { ...widget(id), generation: 1, revision: 1 } })
  return cells.get(n)!
}

function idsAfter(bucket: Bucket | undefined, after?: string, limit = Number.POSITIVE_INFINITY): string[] {
  const ids: string[] = []
  if (bucket)
    visit(bucket, after, object => {
      ids.push(object.id)
      return ids.length < limit
    })
  return ids
}

const runs = fc.array(
  fc.record({
    add: fc.boolean(),
    from: fc.nat(3 * chunkSize),
    count: fc.integer({ min: 1, max: chunkSize }),
    backwards: fc.boolean(),
  }),
  { maxLength: 12 },
)

test('holds what was added and not removed, in order, from any cursor on', () =>
  fc.assert(
    fc.property(runs, fc.nat(4 * chunkSize), (steps, cursor) => {
      let bucket: Bucket | undefined
      const model = new Set<number>()
      for (const { add, from, count, backwards } of steps)
        for (let i = 0; i < count; i++) {
          const n = backwards ? from + count - i : from + i
          if (add) {
            bucket = withCell(bucket, cell(n))
            model.add(n)
          } else if (bucket) {
            bucket = withoutCell(bucket, cell(n))
            model.delete(n)
          }
        }
      const expected = [...model].sort((a, b) => a - b).map(n => cell(n).object.id)
      const after = cell(cursor).object.id
      expect(sizeOf(bucket)).toBe(expected.length)
      expect(idsAfter(bucket)).toEqual(expected)
      expect(idsAfter(bucket, after)).toEqual(expected.filter(id => id > after))
      expect(idsAfter(bucket, after, 3)).toEqual(expected.filter(id => id > after).slice(0, 3))
    }),
    { numRuns: 60 },
  ))

test('a bucket of one is that one', () => {
  const only = cell(1)
  expect(withCell(undefined, only)).toBe(only)
  const two = withCell(only, cell(2))
  expect(withoutCell(two, cell(2))).toBe(only)
  expect(withoutCell(only, only)).toBeUndefined()
})
