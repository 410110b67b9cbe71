// `npm test`: runs every test with vitest, then closes with what was skipped and why, and one line of totals.
// What follows `--` goes to vitest: `npm test -- packages/engine`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closing } from './tests/closing.mjs'

const path = relative => fileURLToPath(new URL(relative, import.meta.url))

const directory = mkdtempSync(join(tmpdir(), 'stead-report-'))
const file = join(directory, 'report.json')
const reporters = ['--reporter=default', `--reporter=${path('./tests/reporter.mjs')}`]
const vitest = [path('../node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...process.argv.slice(2)]

// A process of its own, so that the closing line is the last one, and comes even when vitest itself falls over.
const { status, signal } = spawnSync(process.execPath, vitest, {
  cwd: path('..'),
  stdio: 'inherit',
  env: { ...process.env, STEAD_TEST_REPORT: file },
})

let report
try {
  report = JSON.parse(readFileSync(file, 'utf8'))
} catch {
  report = { passed: 0, failed: 0, skipped: [], retried: [] }
}
rmSync(directory, { recursive: true, force: true })

const { lines, exitCode } = closing(report, {
  ended: signal ?? status ?? 1,
  skippingIsForbidden: process.env.STEAD_NO_SKIP === '1',
})
console.log(lines.join('\n'))
process.exitCode = exitCode
