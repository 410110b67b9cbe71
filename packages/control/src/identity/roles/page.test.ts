import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rolesPage } from './page.ts'

test('docs/roles.md is what the roles are: run `npm run docs` when this fails', () => {
  expect(readFileSync(new URL('../../../../../docs/roles.md', import.meta.url), 'utf8')).toBe(rolesPage())
})
