import { afterAll, describe, test } from 'vitest'
import { excuse, judge, promisesOf, type Verdict } from './judge.ts'
import type { ContractFactory } from './subject.ts'
import { summary } from './summary.ts'

export { type ExecCommands, type GroupFixtures, plainService, posixCommands } from './fixtures.ts'
export { judge, promisesOf, type Verdict } from './judge.ts'
export type { ContractPromise } from './promise.ts'
export { contractPromises } from './promises.ts'
export { runServicesTests, type ServicesSubject } from './services/index.ts'
export type { ContractFactory, ContractSubject, Unless } from './subject.ts'
export { summary } from './summary.ts'

export interface ContractTestOptions {
  /** For one promise, in milliseconds. Real machines take their time. */
  readonly timeout?: number
  /** Whether promises may be checked side by side, as far as they allow it: for backends that are slow and can do more at once. */
  readonly concurrent?: boolean
}

/** Runs the whole contract against a provider: one test per promise, and a line at the end that says what was tested. */
export function runProviderContractTests(
  name: string,
  factory: ContractFactory,
  options: ContractTestOptions = {},
): void {
  describe(`provider contract: ${name}`, async () => {
    const subject = await factory()
    const promises = promisesOf(subject)
    const verdicts: Verdict[] = promises.flatMap(promise => excuse(subject, promise) ?? [])
    await subject.close()
    const { timeout = 30_000, concurrent = false } = options
    // Those that want it to themselves first: what runs side by side is then one group.
    for (const promise of promises.toSorted((a, b) => Number(b.alone ?? false) - Number(a.alone ?? false))) {
      if (verdicts.some(verdict => verdict.promise === promise)) continue
      const how = { timeout, concurrent: concurrent && !promise.alone }
      test(`${promise.group}: ${promise.promise}`, how, async () => {
        const verdict = await judge(factory, promise)
        verdicts.push(verdict)
        if (verdict.outcome === 'broken') throw verdict.error
      })
    }
    afterAll(() => console.info(summary(name, verdicts)))
  })
}
