import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

test('a suite alone is a full run on the default directory', () =>
  expect(readOptions(['store'])).toMatchObject({
    ...{ suite: 'store', quick: false, postgres: false, directory: '.bench', json: undefined },
  }))

test('options are read in any order', () =>
  expect(readOptions(['--json', 'out.json', 'store', '--postgres', '--quick'])).toMatchObject({
    ...{ quick: true, postgres: true, json: 'out.json' },
  }))

test('no suite, or a question, is a call for help', () => {
  expect(readOptions([])).toBeUndefined()
  expect(readOptions(['store', '--help'])).toBeUndefined()
})

test('what is not understood is refused, not ignored', () => {
  expect(() => readOptions(['store', '--fast'])).toThrow('--fast')
  expect(() => readOptions(['store', 'api'])).toThrow('one suite at a time')
})
