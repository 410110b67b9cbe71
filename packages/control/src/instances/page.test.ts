import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { phasesPage } from './page.ts'

test('docs/phases.md is what the table says: run `npm run docs` when this fails', () => {
  expect(readFileSync(new URL('../../../../docs/phases.md', import.meta.url), 'utf8')).toBe(phasesPage())
})
