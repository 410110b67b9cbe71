import { changeSet, openPostgresStore, type PostgresStore } from '@stead/engine'
import type { World } from '@stead/world'
import type { PostgresPlace } from '../../place.ts'
import { type Probe, probeEachShard } from './probe.ts'

/** Sees which node reconciles which shard, by the probe it signs: follows the log, as any node does. */
export class Witness {
  readonly #store: PostgresStore
  readonly #stopping = new AbortController()
  readonly #following: Promise<void>
  /** Who signed, by probe. */
  readonly #signatures = new Map<string, string>()
  #change = Promise.withResolvers<void>()

  private constructor(store: PostgresStore) {
    this.#store = store
    this.#following = this.#follow()
  }

  static async open(world: World, { url }: PostgresPlace): Promise<Witness> {
    const store = await openPostgresStore({ url, world })
    const set = changeSet(world)
    for (const probe of probeEachShard(world)) set.create(probe)
    await store.commit(set)
    return new Witness(store)
  }

  /** The probes this node has signed last. */
  signedBy(nodeId: string): readonly string[] {
    return [...this.#signatures].filter(([, by]) => by === nodeId).map(([probe]) => probe)
  }

  signer(probe: string): string | undefined {
    return this.#signatures.get(probe)
  }

  /** Resolves at the first change after which it is so. */
  async until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    while (!isSo()) await Promise.race([this.#change.promise, late])
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#following.catch(() => {})
    await this.#store.close()
  }

  async #follow(): Promise<void> {
    for await (const entries of this.#store.watch(0, this.#stopping.signal)) {
      for (const { object } of entries.flatMap(({ changes }) => changes)) {
        const { by } = (object as Probe).status
        if (by !== undefined) this.#signatures.set(object.id, by)
      }
      this.#change.resolve()
      this.#change = Promise.withResolvers()
    }
  }
}
