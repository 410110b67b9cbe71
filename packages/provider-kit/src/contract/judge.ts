import { Bench } from './bench.ts'
import type { ContractPromise } from './promise.ts'
import { contractPromises } from './promises.ts'
import type { ContractFactory, ContractSubject } from './subject.ts'

export type Verdict =
  | { readonly promise: ContractPromise; readonly outcome: 'kept' }
  | { readonly promise: ContractPromise; readonly outcome: 'broken'; readonly error: unknown }
  /** The backend has not what it needs, and the subject says why. */
  | NotTried

export interface NotTried {
  readonly promise: ContractPromise
  readonly outcome: 'notTried'
  readonly why: string
}

/** The promises that count for this provider: the core, and the groups it advertises. */
export function promisesOf({ provider }: ContractSubject): ContractPromise[] {
  const capabilities = provider.capabilities()
  const advertised = ({ group }: ContractPromise) => group === 'core' || capabilities.groups[group] !== undefined
  return contractPromises.filter(promise => advertised(promise) && (promise.only?.(capabilities) ?? true))
}

/** Why this promise cannot be tried on this subject; undefined when it can. */
export function excuse(subject: ContractSubject, promise: ContractPromise): NotTried | undefined {
  const part = promise.needs && subject[promise.needs]
  return part && 'not' in part ? { promise, outcome: 'notTried', why: part.not } : undefined
}

/** Checks one promise on a fresh subject, and cleans up. A mess that cannot be cleaned up breaks it, too. */
export async function judge(factory: ContractFactory, promise: ContractPromise): Promise<Verdict> {
  const subject = await factory()
  const run = subject.run ?? (work => work())
  try {
    const excused = excuse(subject, promise)
    if (excused) return excused
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
    return { promise, outcome: 'broken', error }
  } finally {
    await subject.close()
  }
}
