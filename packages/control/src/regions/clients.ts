import { createMetrics, type Metrics, type Sealer, type Store, type Tracing } from '@stead/engine'
import {
  fingerprint,
  type Owner,
  type Provider,
  type ProviderDefinition,
  ProviderError,
  withDeadline,
} from '@stead/provider-kit'
import { seconds, type World } from '@stead/world'
import { unseal } from '../sealed/model.ts'
import { measured, type ProviderMetrics, providerMetrics } from './measured.ts'
import type { Region } from './model.ts'
import { withDefaults } from './provider-fields.ts'

export interface ClientsOptions {
  /** Every kind of provider that regions here may have. */
  readonly providers: readonly ProviderDefinition[]
  readonly store: Pick<Store, 'blob' | 'identity'>
  readonly sealer: Sealer
  readonly world: World
  /** Where calls to backends are counted; nobody sees it unless said. */
  readonly metrics?: Metrics
  readonly tracing?: Tracing | undefined
}

/** A connection that never comes to be must not be waited for by everybody for ever. */
const connectLimit = seconds(30)
const closeLimit = seconds(5)

interface Client {
  /** Of what it was connected with. */
  readonly settings: string
  readonly provider: Promise<Provider>
  /** Once it is. */
  connected?: Provider
}

/** By the spec, which never changes: every pass over every server of a region asks, and hashing takes longer than the rest. */
const knownSettings = new WeakMap<Region['spec'], string>()

/** Names what a region is connected with. When it differs, it may be another account, or another backend. */
export function settingsOf({ spec }: Pick<Region, 'spec'>): string {
  const known = knownSettings.get(spec)
  if (known !== undefined) return known
  const settings = fingerprint([spec.configuration, spec.credentials])
  knownSettings.set(spec, settings)
  return settings
}

/** The providers of all regions, connected: one each, shared by everybody on this node, made when it is first needed. */
export class RegionClients {
  readonly #options: ClientsOptions
  readonly #kinds: ReadonlyMap<string, ProviderDefinition>
  readonly #clients = new Map<string, Client>()
  readonly #closing = new AbortController()
  readonly #measure: ProviderMetrics

  constructor(options: ClientsOptions) {
    this.#options = options
    this.#measure = providerMetrics(options.metrics ?? createMetrics())
    this.#kinds = new Map(options.providers.map(definition => [definition.kind, definition]))
  }

  /** What a provider's regions are configured with. */
  definition(kind: string): ProviderDefinition | undefined {
    return this.#kinds.get(kind)
  }

  /** The kinds of provider there are here. */
  kinds(): readonly string[] {
    return [...this.#kinds.keys()]
  }

  /** The provider of a region as it is configured now. Fails with a `ProviderError` when it cannot be connected. */
  async of(region: Region): Promise<Provider> {
    const settings = settingsOf(region)
    const known = this.#clients.get(region.id)
    if (known?.settings === settings) return known.provider
    const client: Client = { settings, provider: this.#connect(region) }
    this.#clients.set(region.id, client)
    if (known) letGo(known)
    try {
      client.connected = await client.provider
      return client.connected
    } catch (error) {
      // Tried anew by whoever asks next: what was in the way may be over.
      if (this.#clients.get(region.id) === client) this.#clients.delete(region.id)
      throw error
    }
  }

  /** The same where it is connected already, without waiting. */
  connected(region: Region): Provider | undefined {
    const known = this.#clients.get(region.id)
    return known?.settings === settingsOf(region) ? known.connected : undefined
  }

  /** For whom everything in a region is made: the proof, by tag, that it is ours. */
  ownerIn(region: Region): Owner {
    return { controlPlane: this.#options.store.identity.storeId, region: region.id }
  }

  /** Whether this node has a provider connected, or on the way, for a region. */
  has(regionId: string): boolean {
    return this.#clients.has(regionId)
  }

  /** Lets go of the provider of a region that is gone. */
  forget(regionId: string): void {
    const client = this.#clients.get(regionId)
    this.#clients.delete(regionId)
    if (client) letGo(client)
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()]
    this.#clients.clear()
    this.#closing.abort(new ProviderError('Unavailable', 'this node is stopping'))
    const { world } = this.#options
    await Promise.all(
      clients.map(async ({ provider }) => {
        const connected = await provider.catch(() => undefined)
        // Nobody's stop waits for a backend that does not answer.
        if (connected) await withDeadline(world, closeLimit, () => connected.close()).catch(() => {})
      }),
    )
  }

  async #connect(region: Region): Promise<Provider> {
    const { world } = this.#options
    const { provider: kind, configuration } = region.spec
    const definition = this.#kinds.get(kind)
    if (!definition) throw new ProviderError('Unsupported', `this node has no provider ${kind}`)
    const credentials = await this.#credentials(region)
    const owner = this.ownerIn(region)
    const provider = await withDeadline(
      world,
      connectLimit,
      signal =>
        definition.connect({
          // A newer version may ask for more than was there to say when the region was made.
          configuration: withDefaults(definition.configuration, configuration),
          ...{ credentials, owner, world, signal },
        }),
      this.#closing.signal,
    )
    const { tracing } = this.#options
    return measured(provider, { region: region.name ?? region.id, kind }, { metrics: this.#measure, tracing, world })
  }

  async #credentials(region: Region): Promise<unknown> {
    const { credentials } = region.spec
    if (!credentials) return {}
    return JSON.parse(Buffer.from(await unseal(this.#options, region, credentials)).toString())
  }
}

/** Whoever still uses it finds it closed, and asks for the new one when it tries again. */
function letGo({ provider }: Client): void {
  provider.then(connected => connected.close()).catch(() => {})
}
