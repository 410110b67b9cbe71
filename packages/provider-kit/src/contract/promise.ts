import type { Capabilities, GroupName } from '../capabilities.ts'
import type { Bench } from './bench.ts'

/** What some promises cannot be checked without, and not every backend has. */
export type Need = 'unreachable' | 'badCredentials' | 'provoke' | 'inside' | 'bootId'

/** One promise of the contract, and how it is checked. A check that returns found it kept. */
export interface ContractPromise {
  /** What is promised, in a sentence. Its name everywhere. */
  readonly promise: string
  readonly group: 'core' | GroupName
  /** A promise of the core that needs what a backend cannot have is not tried there. In a group nothing is excused. */
  readonly needs?: Need
  /** It is made only by those who can do this. */
  readonly only?: (capabilities: Capabilities) => boolean
  /** It counts what the whole backend holds, or how long something takes: nothing else may go on meanwhile. */
  readonly alone?: true
  check(bench: Bench): Promise<void>
}

type Checks = Readonly<Record<string, (bench: Bench) => Promise<void>>>

/** When a check counts: what it needs, or what the provider must be able to do; or that it wants the backend to itself. */
type Condition = Need | NonNullable<ContractPromise['only']> | 'alone'
type Conditions<Group> = { readonly [name in keyof Group]?: Condition }

export const promises = <Group extends Checks>(
  group: ContractPromise['group'],
  checks: Group,
  conditions: Conditions<Group> = {},
): ContractPromise[] =>
  Object.entries(checks).map(([promise, check]) => ({ promise, group, check, ...conditionOf(conditions[promise]) }))

function conditionOf(when: Condition | undefined): Pick<ContractPromise, 'only' | 'needs' | 'alone'> {
  if (when === undefined) return {}
  if (typeof when === 'function') return { only: when }
  return when === 'alone' ? { alone: true } : { needs: when }
}
