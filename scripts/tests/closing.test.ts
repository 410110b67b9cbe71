import { expect, test } from 'vitest'
import { closing } from './closing.mjs'

test('a long list of skips is cut, and says how many are not shown', () => {
  const skipped = Array.from({ length: 23 }, (_, index) => ({ name: `t${index}`, reason: 'no reason given' }))
  const { lines, exitCode } = closing(
    { passed: 1, failed: 0, skipped, retried: [] },
    { ended: 0, skippingIsForbidden: false },
  )
  expect(lines.slice(-3)).toEqual(['  t19', '  … and 3 more', '1 passed, 0 failed, 23 skipped'])
  expect(exitCode).toBe(0)
})

test('what passed only at a second try is told by name', () => {
  const report = { passed: 2, failed: 0, skipped: [], retried: [{ name: 'a.test.ts > waits', message: 'too late' }] }
  const { lines, exitCode } = closing(report, { ended: 0, skippingIsForbidden: true })
  expect(lines).toEqual([
    'passed only at the second try: a.test.ts > waits',
    '  at the first: too late',
    '2 passed, 0 failed, 0 skipped',
  ])
  expect(exitCode).toBe(0)
})

test('a runner that was killed fails the run, whatever it had counted', () => {
  const { lines, exitCode } = closing(
    { passed: 1, failed: 0, skipped: [], retried: [] },
    { ended: 'SIGKILL', skippingIsForbidden: false },
  )
  expect(lines).toEqual(['failing: vitest ended with SIGKILL', '1 passed, 0 failed, 0 skipped'])
  expect(exitCode).toBe(1)
})
