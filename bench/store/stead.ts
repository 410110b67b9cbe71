import type { Store, StoredObject } from '@stead/engine'
import type { World } from '@stead/world'
import type { Sample } from '../harness/rounds.ts'
import { type Acknowledged, type Contender, keepWriting, type Load } from './contender.ts'
import { createOf, operations, putOf, Workload } from './workload.ts'

/** Our store: every writer commits change-sets of its own and waits for the answer. */
export class SteadContender implements Contender {
  readonly name = 'Stead'
  readonly operations = operations
  readonly acknowledged: Acknowledged = { puts: 0, creates: 0 }
  readonly #world: World
  readonly #store: Store
  readonly #workload: Workload
  #population: StoredObject[] = []

  constructor(world: World, store: Store, workload = new Workload(world)) {
    this.#world = world
    this.#store = store
    this.#workload = workload
  }

  /** Writers change objects as they read them from the store, as controllers do. */
  async start(): Promise<this> {
    const ours = new Set(await populate(this.#world, this.#store, this.#workload, this.#workload.population))
    this.acknowledged.creates += ours.size
    const read: StoredObject[] = []
    for await (const chunk of (await this.#store.snapshot()).objects)
      read.push(...chunk.filter(({ id }) => ours.has(id)))
    this.#population = this.#workload.shuffled(read)
    return this
  }

  write(load: Load): Promise<Sample> {
    const write = load.operation === 'put' ? (place: number) => this.#put(place) : () => this.#create()
    return keepWriting(this.#world, load, write, this.#workload.population)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async #put(place: number): Promise<void> {
    const object = this.#population[place]!
    const { revision } = await this.#store.commit(putOf(this.#world, object, this.acknowledged.puts))
    this.#population[place] = { ...object, revision }
    this.acknowledged.puts++
  }

  async #create(): Promise<void> {
    await this.#store.commit(createOf(this.#world, this.#workload.creation()))
    this.acknowledged.creates++
  }
}

/** Fills a store with objects as creates leave them, with names, counters and events; answers their ids. */
export async function populate(world: World, store: Store, workload: Workload, size: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < size; made += 256) {
    const creations = workload.creations(Math.min(256, size - made))
    await Promise.all(creations.map(creation => store.commit(createOf(world, creation))))
    ids.push(...creations.map(({ object }) => object.id))
  }
  return ids
}
