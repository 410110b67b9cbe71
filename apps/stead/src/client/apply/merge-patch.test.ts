import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesOf, isEqual, patchTo } from './merge-patch.ts'

/** RFC 7396. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result: Record<string, unknown> = isMap ? { ...target } : {}
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete result[key]
    else result[key] = apply(result[key], value)
  return result
}

/** What a spec can hold: a merge patch cannot say null. */
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }))
const { tree } = fc.letrec<{ tree: Record<string, unknown> }>(tie => ({
  tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof({ depthSize: 'small' }, leaf, tie('tree')), {
    maxKeys: 3,
  }),
}))

test('where the wanted is the whole, the patch makes exactly it', () =>
  fc.assert(
    fc.property(tree, tree, (current, wanted) => {
      const patch = patchTo(current, wanted, () => true)
      expect(patch === undefined ? current : apply(current, patch)).toEqual(wanted)
    }),
  ))

test('there is no patch exactly where there is no difference, and no change without one', () =>
  fc.assert(
    fc.property(tree, tree, (current, wanted) => {
      const patch = patchTo(current, wanted, () => true)
      expect(patch === undefined).toBe(isEqual(current, wanted))
      if (patch !== undefined) expect(changesOf(current, patch).length).toBeGreaterThan(0)
    }),
  ))

test('what is not named stays, unless it is of the whole', () => {
  const current = { power: 'on', source: { env: { A: '1', B: '2' } } }
  const wanted = { source: { env: { A: '1' } } }
  expect(patchTo(current, wanted, () => false)).toBeUndefined()
  expect(patchTo(current, wanted, path => path.startsWith('/source/'))).toEqual({ source: { env: { B: null } } })
})
