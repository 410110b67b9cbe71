import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Runs scripts/test.mjs, as `npm test` does, on test files of our own. */
function run(files: Record<string, string>, options: { env?: Record<string, string>; args?: string[] } = {}) {
  const root = temporaryDirectory()
  symlinkSync(path('../../node_modules'), join(root, 'node_modules'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const { STEAD_NO_SKIP: _, VITEST: __, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path('../test.mjs'), '--root', root, ...(options.args ?? [])],
    { encoding: 'utf8', env: { ...env, ...options.env } },
  )
  const lines = stdout.trimEnd().split('\n')
  return { status, stderr, lines, last: lines.at(-1) }
}

const passing = "import { test } from 'vitest'\ntest('passes', () => {})\n"
const failing = "import { test } from 'vitest'\ntest('fails', () => { throw new Error('no') })\n"
const needsEtcd = `import { describeWith, testWith } from '@stead/testing'
import { beforeAll, test } from 'vitest'
testWith('etcd', 'alone', () => {})
describeWith('etcd', 'together', () => {
  beforeAll(() => { throw new Error('ran though its backend is missing') })
  test('first', () => {})
})
`
/** Nothing is installed where PATH leads nowhere. */
const nothingInstalled = { PATH: '/nonexistent' }

test('all passing ends well, with the totals alone on the last line', () => {
  const { status, last } = run({ 'a.test.ts': passing, 'b.test.ts': passing })
  expect(last).toBe('2 passed, 0 failed, 0 skipped')
  expect(status).toBe(0)
})

test('a failed test fails the run', () => {
  const { status, last } = run({ 'a.test.ts': passing, 'b.test.ts': failing })
  expect(last).toBe('1 passed, 1 failed, 0 skipped')
  expect(status).toBe(1)
})

test.each([
  ['a file that cannot be loaded', '1 passed, 1 failed, 0 skipped', "import './nowhere.ts'\n"],
  [
    'a hook that throws',
    '1 passed, 1 failed, 1 skipped',
    `import { beforeAll } from 'vitest'\nbeforeAll(() => { throw new Error('no') })\n${passing}`,
  ],
  [
    'an error nobody caught',
    '2 passed, 1 failed, 0 skipped',
    `${passing}setTimeout(() => { throw new Error('no') }, 0)\nawait new Promise(r => setTimeout(r, 50))\n`,
  ],
])('%s is counted as failed', (_, totals, text) => {
  const { status, last } = run({ 'a.test.ts': passing, 'b.test.ts': text })
  expect(last).toBe(totals)
  expect(status).toBe(1)
})

test('no test at all fails the run', () => {
  const { status, lines, last } = run({ 'a.test.ts': passing }, { args: ['no-such-file'] })
  expect(lines).toContain('failing: no test ran')
  expect(last).toBe('0 passed, 0 failed, 0 skipped')
  expect(status).toBe(1)
})

test('a missing backend is listed at the end with its reason and remedy, its hooks do not run, and the run ends well', () => {
  const { status, lines, last } = run({ 'a.test.ts': passing, 'b.test.ts': needsEtcd }, { env: nothingInstalled })
  expect(lines.slice(-4)).toEqual([
    'skipped, because etcd: etcd not found (to help: apt-get install -y --no-install-recommends etcd-server)',
    '  b.test.ts > alone',
    '  b.test.ts > together > first',
    '1 passed, 0 failed, 2 skipped',
  ])
  expect(last).toBe('1 passed, 0 failed, 2 skipped')
  expect(status).toBe(0)
})

test('where skipping is forbidden, a missing backend fails, and so does any other skip', () => {
  const env = { ...nothingInstalled, STEAD_NO_SKIP: '1' }
  const missing = run({ 'a.test.ts': passing, 'b.test.ts': needsEtcd }, { env })
  expect(missing.last).toBe('1 passed, 2 failed, 0 skipped')
  expect(missing.stderr).toContain('apt-get install -y --no-install-recommends etcd-server')
  expect(missing.status).toBe(1)
  const skipping = run({ 'a.test.ts': `${passing}test.skipIf(true)('not now', () => {})\n` }, { env })
  expect(skipping.lines.slice(-4)).toEqual([
    'skipped, because no reason given',
    '  a.test.ts > not now',
    'failing: STEAD_NO_SKIP=1 forbids skipping',
    '1 passed, 0 failed, 1 skipped',
  ])
  expect(skipping.status).toBe(1)
})
