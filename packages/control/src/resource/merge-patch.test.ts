import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { differences, mergePatch } from './merge-patch.ts'

// The table of RFC 7396, appendix A.
test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j merged with %j is %j', (target, patch, result) => expect(mergePatch(target, patch)).toEqual(result))

test('a patch never reaches the prototype', () => {
  mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

const document = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, fc.integer(), fc.string(), fc.array(fc.integer()), tie('fields')),
  fields: fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).fields

describe('differences', () => {
  test('name each field that is different, and no other', () =>
    expect(differences({ a: 1, b: { c: [1], d: 2 }, e: 1 }, { a: 1, b: { c: [2], d: 2 }, 'f/g': 1 })).toEqual([
      { path: '/b/c', from: [1], to: [2] },
      { path: '/e', from: 1, to: undefined },
      { path: '/f~1g', from: undefined, to: 1 },
    ]))

  test('there are none after a patch that says what is so already', () =>
    fc.assert(
      fc.property(document, value => {
        expect(differences(value, mergePatch(value, value))).toEqual([])
      }),
    ))

  test('there are none only between equal documents', () =>
    fc.assert(
      fc.property(document, document, (a, b) => {
        if (differences(a, b).length === 0) expect(a).toEqual(b)
        else expect(a).not.toEqual(b)
      }),
    ))
})
