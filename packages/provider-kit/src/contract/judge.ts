import type { Capabilities } from '../capabilities.ts'
import { Bench } from './bench.ts'
import { type ContractPromise, NotPossible } from './promise.ts'
import { contractPromises } from './promises.ts'
import type { ContractFactory } from './subject.ts'

export type Verdict =
  | { readonly promise: ContractPromise; readonly outcome: 'kept' }
  | { readonly promise: ContractPromise; readonly outcome: 'broken'; readonly error: unknown }
  /** It cannot be tried on this backend, and the subject says why. */
  | { readonly promise: ContractPromise; readonly outcome: 'notPossible'; readonly why: string }

/** The promises that count for a provider with these capabilities. */
export const promisesOf = (capabilities: Capabilities): ContractPromise[] =>
  contractPromises.filter(({ group }) => group === 'core' || capabilities.groups[group] !== undefined)

/** Checks one promise on a fresh subject, and cleans up. A mess that cannot be cleaned up breaks it, too. */
export async function judge(factory: ContractFactory, promise: ContractPromise): Promise<Verdict> {
  const subject = await factory()
  const run = subject.run ?? (work => work())
  try {
    await run(async () => {
      const bench = new Bench(subject)
      try {
        await promise.check(bench)
      } finally {
        await bench.cleanUp()
      }
    })
    return { promise, outcome: 'kept' }
  } catch (error) {
    // A group need not be advertised; one that is must be testable.
    if (error instanceof NotPossible && promise.group === 'core')
      return { promise, outcome: 'notPossible', why: error.message }
    return { promise, outcome: 'broken', error }
  } finally {
    await subject.close()
  }
}
