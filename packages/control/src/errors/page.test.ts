import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogue } from './catalogue.ts'
import { errorsPage } from './page.ts'

test('docs/errors.md is what the catalogue says: run `npm run docs` when this fails', () => {
  expect(readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')).toBe(errorsPage())
})

test('every entry is an error, and says what it means and what to do', () => {
  for (const [code, { status, title, meaning, suggestion }] of Object.entries(catalogue)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(title).toMatch(/^[A-Z].*[^.]$/)
    expect(meaning).toMatch(/^[A-Z].*\.$/)
    expect(suggestion).toMatch(/^[a-z].*[^.]$/)
  }
})
