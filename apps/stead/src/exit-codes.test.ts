import { readFileSync } from 'node:fs'
import { OpenError, type OpenFailure } from '@stead/engine'
import { expect, test } from 'vitest'
import { exitCodes, explain, StartError } from './exit-codes.ts'

test('the documentation shows every code with its meaning and what to do', () => {
  const page = readFileSync(new URL('../../../docs/exit-codes.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter(line => /^\| \d/.test(line))
  const cells = rows.map(row =>
    row
      .split('|')
      .map(cell => cell.trim())
      .slice(1, -1),
  )
  expect(cells).toEqual(Object.values(exitCodes).map(({ code, meaning, remedy }) => [String(code), meaning, remedy]))
})

test('no two reasons share a code', () => {
  const codes = Object.values(exitCodes).map(({ code }) => code)
  expect(new Set(codes).size).toBe(codes.length)
})

test.each<[OpenFailure, number]>([
  ['unwritable', 10],
  ['in_use', 11],
  ['corrupt', 12],
  ['disk_full', 13],
  ['newer_schema', 14],
  ['unreachable', 16],
])('a store that cannot be opened because it is %s ends with %i, and says what to do', (failure, code) =>
  expect(explain(new OpenError(failure, 'what happened'))).toEqual({
    code,
    text: `stead: what happened\nstead: ${exitCodes[failure].remedy}`,
  }),
)

test('a setting that is wrong ends with 2 and its own message', () =>
  expect(explain(new StartError('usage', 'listen must be …'))).toEqual({ code: 2, text: 'stead: listen must be …' }))

test.each([new TypeError('x is not a function'), 'thrown text'])('anything else is a bug, shown whole: %s', error => {
  const { code, text } = explain(error)
  expect(code).toBe(1)
  expect(text).toContain('this is a bug')
  expect(text).toContain(error instanceof Error ? error.stack : error)
})
