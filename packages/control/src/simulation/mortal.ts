import type { Capabilities, Provider, ProviderDefinition } from '@stead/provider-kit'
import type { ControlFault } from './faults.ts'

export interface MortalOptions {
  readonly strikes: (name: Extract<ControlFault, `node-crash-${string}`>) => boolean
  readonly die: (why: string) => void
  /** Whether the backend has a stream of changes. */
  readonly streams: boolean
  /** Told of each call when it is sent. */
  readonly sent?: (what: string) => void
}

/** What never comes: the node that waited for it is dead. */
const silence = () => new Promise<never>(() => {})

/** The same provider on a node that may die right before and right after each of its calls. */
export const mortal = (definition: ProviderDefinition, options: MortalOptions): ProviderDefinition => ({
  ...definition,
  async connect(connection) {
    const provider = await definition.connect(connection)
    return new Proxy(provider, { get: (_, member) => memberOf(provider, member, options) })
  },
})

function memberOf(provider: Provider, member: string | symbol, options: MortalOptions): unknown {
  if (member === 'capabilities') return () => capabilitiesOf(provider, options)
  const value: unknown = Reflect.get(provider, member, provider)
  if (member === 'close' || member === 'watch') return bound(value, provider)
  if (member === 'list') return (...values: readonly unknown[]) => listed(bound(value, provider)!(...values), options)
  if (typeof value === 'function') return risky(String(member), bound(value, provider)!, options)
  if (value === null || typeof value !== 'object') return value
  // A collection: `networks.create` and the like.
  return new Proxy(value, {
    get(target, verb) {
      const inner: unknown = Reflect.get(target, verb, target)
      if (typeof inner !== 'function' || verb === 'list') return bound(inner, target)
      return risky(`${String(member)}.${String(verb)}`, bound(inner, target)!, options)
    },
  })
}

type Call = (...values: readonly unknown[]) => unknown

const bound = (value: unknown, self: object): Call | undefined =>
  typeof value === 'function' ? (value.bind(self) as Call) : undefined

const risky =
  (name: string, call: Call, { strikes, die, sent }: MortalOptions): Call =>
  async (...values) => {
    if (strikes('node-crash-before-outside-call')) {
      die(`instead of ${name}`)
      return silence()
    }
    sent?.(name)
    const outcome = await Promise.allSettled([call(...values)])
    if (strikes('node-crash-after-outside-call')) {
      die(`after ${name}`)
      return silence()
    }
    const [{ status }] = outcome as [PromiseSettledResult<unknown>]
    if (status === 'rejected') throw (outcome[0] as PromiseRejectedResult).reason
    return (outcome[0] as PromiseFulfilledResult<unknown>).value
  }

/** A list is one call however many pages it has: where in it a node dies makes no difference to anybody. */
async function* listed(pages: unknown, options: MortalOptions): AsyncGenerator<unknown> {
  await (risky('list', async () => {}, options) as () => Promise<void>)()
  yield* pages as ReturnType<Provider['list']>
}

function capabilitiesOf(provider: Provider, { streams }: MortalOptions): Capabilities {
  const capabilities = provider.capabilities()
  const { watch, ...groups } = capabilities.groups
  return { ...capabilities, groups: streams && watch ? { ...groups, watch } : groups }
}
