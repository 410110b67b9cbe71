import {
  type ChangeSetBuilder,
  type Committed,
  ConflictError,
  changeSet,
  type Engine,
  type Store,
  startEngine,
} from '@stead/engine'
import type { StoreFactory, StoreHome } from '@stead/engine/conformance'
import { newId, realWorld } from '@stead/world'
import { afterAll, beforeAll } from 'vitest'
import { charge, release } from '../charge.ts'
import { counterOf, type Payer } from '../counters.ts'
import { type Amounts, type QuotaKind, quotaKindNames } from '../kinds.ts'
import { type Limits, setLimits } from '../limits.ts'

/** One store with as many nodes on it as it takes, where things are charged and released and nothing else happens. */
export class CountingHouse {
  readonly nodes: { readonly store: Store; readonly engine: Engine }[] = []
  readonly #factory: StoreFactory
  #home: StoreHome | undefined

  constructor(factory: StoreFactory) {
    this.#factory = factory
  }

  async open(): Promise<void> {
    this.#home = await this.#factory.create()
    for (let node = 0; node < this.#factory.nodes; node++) {
      const store = await this.#home.open()
      const engine = startEngine({ store, world: realWorld })
      this.nodes.push({ store, engine })
      await engine.loaded
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map(({ engine }) => engine.stop()))
    await Promise.all(this.nodes.map(({ store }) => store.close()))
    await this.#home?.destroy()
  }

  /** The n-th node, round and round. */
  node(index = 0) {
    return this.nodes[index % this.nodes.length]!
  }

  everything(index = 0) {
    return this.node(index).engine.cache.platform()
  }

  /** Resolves once every node reads all that was committed before: an empty change-set comes after it. */
  async settled(): Promise<void> {
    await Promise.all(this.nodes.map(({ engine }) => engine.commit(changeSet(realWorld))))
  }

  newPayer(): { readonly organization: string; readonly project: string } {
    return { organization: newId(realWorld, 'org'), project: newId(realWorld, 'prj') }
  }

  /** Commits what `fill` puts in a change-set; answers whether no limit and no other writer was in its way. */
  async try(fill: (set: ChangeSetBuilder) => void, index = 0): Promise<Committed | ConflictError> {
    const set = changeSet(realWorld)
    fill(set)
    return this.node(index)
      .engine.commit(set)
      .catch((error: unknown) => {
        if (error instanceof ConflictError) return error
        throw error
      })
  }

  charge(payer: Payer, thing: string, amounts: Amounts, index = 0) {
    const request = { ...payer, for: { kind: 'thing', id: thing }, amounts, at: realWorld.now() }
    return this.try(set => charge(set, this.everything(index), request), index)
  }

  release(thing: string, index = 0) {
    return this.try(set => release(set, this.everything(index), { kind: 'thing', id: thing }), index)
  }

  limit(payer: Payer, limits: Limits) {
    return this.try(set => setLimits(set, this.everything(), { ...payer, limits, at: realWorld.now() }))
  }

  async used(payer: Payer): Promise<Partial<Record<QuotaKind, number>>> {
    const counters = await this.node().store.counters(`quota/${payer.organization}/`)
    const values = new Map(counters.map(({ counter, value }) => [counter, value]))
    return Object.fromEntries(
      quotaKindNames.flatMap(kind => {
        const value = values.get(counterOf(payer, kind))
        return value ? [[kind, value]] : []
      }),
    )
  }
}

/** A house for all tests of a `describe`; each uses payers of its own. */
export function countingHouse(factory: StoreFactory): CountingHouse {
  const house = new CountingHouse(factory)
  beforeAll(() => house.open())
  afterAll(() => house.close())
  return house
}
