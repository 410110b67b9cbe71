import type { NodeContext, Stage } from '@stead/engine/simulation'
import type { Collection, Provider, ProviderDefinition, ResourceInfo, ResourceSpec } from '@stead/provider-kit'
import type { Outage, SimulatedCloud } from '@stead/provider-kit/simulated'
import { simulatedProvider } from '@stead/provider-kit/simulated'
import { seconds, type World } from '@stead/world'

/** Where a node can die on its way outside. */
export const crossingFaults = {
  'node-crash-before-outside-call': { usual: 0.02, meaning: 'a node dies instead of calling outside' },
  'node-crash-after-outside-call': { usual: 0.02, meaning: 'a node dies after a call, before it hears the answer' },
  'source-breaks': { usual: 0.05, meaning: 'what a content is fetched from breaks off' },
  'outside-outage': { usual: 0.02, meaning: 'each second: nothing outside answers for some seconds' },
  'outside-partial-outage': { usual: 0.02, meaning: 'each second: every second call has no answer for some seconds' },
  'outside-slowness': { usual: 0.02, meaning: 'each second: everything outside is slow for some seconds' },
} as const

export type CrossingFault = keyof typeof crossingFaults

export interface Crossing {
  readonly cloud: SimulatedCloud
  readonly faults: Stage<CrossingFault>['faults']
  /** A token was sent as one that nobody had ever sent. */
  readonly sentFresh: (token: string) => void
}

/** Does something outside, unless the node dies before; one that is dead hears nothing more. */
export type Cross = <T>(what: string, call: () => Promise<T>) => Promise<T>

/** The way outside of a node that dies where its faults say so. */
export const crosser =
  ({ faults }: Pick<Crossing, 'faults'>, { world, die }: NodeContext): Cross =>
  async (what, call) => {
    if (faults.strikes('node-crash-before-outside-call')) die(`instead of ${what}`)
    if (!world.alive) return new Promise(() => {})
    try {
      return await call()
    } finally {
      if (faults.strikes('node-crash-after-outside-call')) die(`after ${what}`)
      if (!world.alive) await new Promise(() => {})
    }
  }

/** The provider of a node, behind its way outside. */
export function crossing({ cloud, sentFresh }: Crossing, cross: Cross): ProviderDefinition {
  const inner = simulatedProvider(() => cloud)
  const crossed = <Group extends Collection<ResourceSpec, ResourceInfo>>(group: Group): Group =>
    new Proxy(group, {
      get(target, name: string) {
        const method = Reflect.get(target, name) as (...values: never[]) => unknown
        return (...values: unknown[]) => {
          const called = () => method.apply(target, values as never[])
          if (name === 'list') return called()
          const [, token, options] = values as [unknown, string, { readonly fresh?: boolean } | undefined]
          if (name === 'create' && options?.fresh) sentFresh(token)
          return cross(name, called as () => Promise<unknown>)
        }
      },
    })
  return {
    ...inner,
    async connect(connection) {
      const provider = await inner.connect({
        ...connection,
        configuration: { cloud: 'default' },
        credentials: { key: 'simulated' },
      })
      const groups = {
        networks: crossed(provider.networks!),
        securityGroups: crossed(provider.securityGroups!),
        images: crossed(provider.images!),
      }
      return new Proxy(provider, {
        get(target, name) {
          if (name in groups) return groups[name as keyof typeof groups]
          const member = Reflect.get(target, name) as unknown
          return typeof member === 'function' ? member.bind(target) : member
        },
      }) as Provider
    },
  } as ProviderDefinition
}

/** Times in which the cloud itself is not well. Slow is still sooner than a cloud without tokens says it settles. */
const outages = {
  'outside-outage': { kind: 'outage' },
  'outside-partial-outage': { kind: 'partialOutage', share: 0.5 },
  'outside-slowness': { kind: 'slowness', factor: 3 },
} as const satisfies Partial<Record<CrossingFault, Outage>>

export type OutageFault = keyof typeof outages
export const outageFaults = Object.keys(outages) as OutageFault[]

/** The names that the cloud itself counts them by. */
export const outageKinds = Object.values(outages).map(({ kind }) => kind)

/** Has those that are due last for some seconds. */
export function strikeOutages({ cloud, faults }: Pick<Crossing, 'cloud' | 'faults'>, world: World): void {
  for (const name of outageFaults) if (faults.strikes(name)) world.setTimer(seconds(4), cloud.outage(outages[name]))
}
