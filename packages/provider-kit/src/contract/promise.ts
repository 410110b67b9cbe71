import type { GroupName } from '../capabilities.ts'
import type { Bench } from './bench.ts'

/** One promise of the contract, and how it is checked. A check that returns found it kept. */
export interface ContractPromise {
  /** What is promised, in a sentence. Its name everywhere. */
  readonly promise: string
  readonly group: 'core' | GroupName
  check(bench: Bench): Promise<void>
}

type Checks = Readonly<Record<string, (bench: Bench) => Promise<void>>>

export const promises = (group: ContractPromise['group'], checks: Checks): ContractPromise[] =>
  Object.entries(checks).map(([promise, check]) => ({ promise, group, check }))

/** Why a promise could not be checked on this backend. It counts neither as kept nor as broken, and is reported. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible'
}
