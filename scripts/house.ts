// `npm run check:house`: dependencies between packages point only the way they should, and what is banned is not used.
// The rules are in house/rules.ts.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkHouse } from './house/check.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const patterns = [
  '*.{js,mjs,ts}',
  'package.json',
  '{apps,packages}/**/package.json',
  '{apps,bench,examples,packages,scripts}/**/*.{js,mjs,mts,ts,tsx}',
]
const skipped = ['**/node_modules', '**/dist', '**/coverage']

const files = globSync(patterns, { cwd: root, exclude: skipped }).map(path => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}))
const violations = checkHouse(files)
for (const { path, line, rule, message } of violations) console.error(`${path}:${line} ${rule}: ${message}`)
if (violations.length > 0) {
  console.error(`${violations.length} against the rules of the house; see scripts/house/rules.ts`)
  process.exitCode = 1
} else console.log(`the house is in order: ${files.length} files`)
