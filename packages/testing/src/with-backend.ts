import { describe, type TestContext, test } from 'vitest'
import { type BackendName, type Missing, missing } from './backends.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Why this test or suite is skipped, for the list at the end of the run. */
    missing?: Missing
  }
}

/** CI sets STEAD_NO_SKIP=1: what cannot run there is a failure. */
const skippingIsForbidden = () => process.env.STEAD_NO_SKIP === '1'

const cannotRun =
  ({ reason, remedy }: Missing) =>
  () => {
    throw new Error(`${reason}, and STEAD_NO_SKIP=1 forbids skipping. To help: ${remedy}`)
  }

/** A `describe` that needs a backend: without it, its tests are skipped with the reason, or fail where skipping is forbidden. */
export function describeWith(backend: BackendName, name: string, body: () => void): void {
  const why = missing(backend)
  if (!why) describe(name, body)
  else if (skippingIsForbidden()) describe(name, () => test(`needs ${backend}`, cannotRun(why)))
  else describe(name, { skip: true, meta: { missing: why } }, body)
}

/** The same for one test. */
export function testWith(
  backend: BackendName,
  name: string,
  body: (context: TestContext) => unknown,
  timeoutMillis?: number,
): void {
  const why = missing(backend)
  if (!why) test(name, body, timeoutMillis)
  else if (skippingIsForbidden()) test(name, cannotRun(why))
  else test(name, { skip: true, meta: { missing: why } }, body)
}
