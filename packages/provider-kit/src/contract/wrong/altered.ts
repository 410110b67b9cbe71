import { memberGroups } from '../../capabilities.ts'
import { isProviderError, ProviderError, type ProviderErrorCode } from '../../errors.ts'
import type { Provider } from '../../provider.ts'
import type { ServerInfo } from '../../server-info.ts'
import type { Account } from '../../simulated/account/account.ts'
import type { SimulatedCloud } from '../../simulated/cloud.ts'
import type { ContractSubject } from '../subject.ts'

/** Where a wrong provider does its harm. */
export interface Scene {
  readonly subject: ContractSubject
  readonly cloud: SimulatedCloud
  readonly account: Account
}

/** How one client goes wrong: the members it has instead of the right ones. */
export type Spoil = (right: Provider) => Partial<Provider>

/** A provider that breaks one promise, and keeps all others. */
export interface WrongProvider {
  readonly promise: string
  /** Called once per subject; what it answers, once per client of it. */
  readonly spoil: (scene: Scene) => Spoil
}

export const wrong = (promise: string, spoil: WrongProvider['spoil']): WrongProvider => ({ promise, spoil })

const core = ['capabilities', 'catalog', 'launch', 'terminate', 'stop', 'start', 'describe', 'list', 'close'] as const

/** The same object with some members replaced. The others still work: they are bound to the original. */
export function altered<T extends object>(right: T, members: readonly (keyof T)[], wrong: Partial<T>): T {
  const bound = members.map(name => {
    const member = right[name]
    return [name, typeof member === 'function' ? member.bind(right) : member]
  })
  return { ...Object.fromEntries(bound), ...wrong }
}

export const alteredProvider = (right: Provider, spoil: Spoil): Provider =>
  altered(right, [...core, ...memberGroups], spoil(right))

/** What describe and list tell, changed in one way. */
export const retold = (right: Provider, tell: (server: ServerInfo) => ServerInfo): Partial<Provider> => ({
  describe: async (id, options) => tell(await right.describe(id, options)),
  async *list(filter, options) {
    for await (const page of right.list(filter, options)) yield page.map(tell)
  },
})

/** The truth, which a describe may be late to tell. */
export const stateOf = ({ account }: Scene, id: string) => account.servers.get(id)?.state

/** Turns one kind of failure into another. */
export const recoded =
  (from: ProviderErrorCode, to: ProviderErrorCode) =>
  <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
  async (...args: Args): Promise<T> => {
    try {
      return await call(...args)
    } catch (error) {
      throw isProviderError(error, from) ? new ProviderError(to, error.message) : error
    }
  }
