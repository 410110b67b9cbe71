// A vitest reporter that leaves the totals, every skip with its reason, and what passed only at a second try, where
// scripts/test.mjs reads them.
import { writeFileSync } from 'node:fs'

/** The reason is on the test that was skipped, or on a suite around it. */
function missingOf(task) {
  for (let at = task; at; at = at.parent) {
    const missing = at.meta().missing
    if (missing) return missing
  }
  return undefined
}

/** A suite or file that broke outside its tests (a hook, an import) failed too, and is counted as one. */
const brokenOutside = suite => (suite.errors().length > 0 ? 1 : 0)

export default class ClosingReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const report = { passed: 0, failed: unhandledErrors.length, skipped: [], retried: [] }
    for (const module of modules) {
      report.failed += brokenOutside(module)
      for (const suite of module.children.allSuites()) report.failed += brokenOutside(suite)
      for (const test of module.children.allTests()) {
        const result = test.result()
        const name = `${module.relativeModuleId} > ${test.fullName}`
        if (test.diagnostic()?.flaky)
          report.retried.push({ name, message: result.errors?.[0]?.message ?? 'no error was told' })
        if (result.state === 'passed') report.passed++
        else if (result.state === 'failed') report.failed++
        else if (result.state === 'skipped')
          report.skipped.push({
            name,
            ...(missingOf(test) ?? { reason: result.note ?? 'no reason given' }),
          })
      }
    }
    writeFileSync(process.env.STEAD_TEST_REPORT, JSON.stringify(report))
  }
}
