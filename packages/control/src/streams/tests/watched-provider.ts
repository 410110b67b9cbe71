import { type Provider, type ProviderDefinition, ProviderError } from '@stead/provider-kit'
import { type SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'

/** The way to a cloud, that counts reads of logs which follow, can break them off, and can lack abilities. */
export class WatchedProvider {
  /** Reads that follow, open now. */
  following = 0
  readonly #breaks = new Set<() => void>()
  readonly #lacks: readonly string[]

  constructor({ lacks = [] }: { readonly lacks?: readonly string[] } = {}) {
    this.#lacks = lacks
  }

  /** As if the connection to the backend was lost in mid-stream. */
  breakOff(): void {
    for (const stop of this.#breaks) stop()
  }

  readonly definition = (cloud: SimulatedCloud): ProviderDefinition => {
    const own = simulatedProvider(() => cloud)
    return { ...own, connect: async connection => this.#watched(await own.connect(connection as never)) }
  }

  #watched(provider: Provider): Provider {
    return new Proxy(provider, {
      get: (target, name) => {
        if (name === 'logs') return (...args: Parameters<NonNullable<Provider['logs']>>) => this.#logs(target, ...args)
        if (name === 'capabilities') return () => this.#abilities(target)
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  #abilities(provider: Provider) {
    const { groups, ...rest } = provider.capabilities()
    return {
      ...rest,
      groups: Object.fromEntries(Object.entries(groups).filter(([name]) => !this.#lacks.includes(name))),
    }
  }

  async *#logs(provider: Provider, ...[id, request, options]: Parameters<NonNullable<Provider['logs']>>) {
    if (!request.follow) return yield* provider.logs!(id, request, options)
    const stop = new AbortController()
    const lost = () => stop.abort(new ProviderError('Unavailable', 'connection reset'))
    this.#breaks.add(lost)
    this.following++
    try {
      const signal = options?.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
      yield* provider.logs!(id, request, { signal })
    } finally {
      this.#breaks.delete(lost)
      this.following--
    }
  }
}
