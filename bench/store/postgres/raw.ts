import { type ObjectDraft, openPostgresStore } from '@stead/engine'
import { newId, type World } from '@stead/world'
import pg from 'pg'
import type { Sample } from '../../harness/rounds.ts'
import { type Acknowledged, type Contender, keepWriting, type Load } from '../contender.ts'
import type { PostgresPlace } from '../place.ts'
import { type Creation, nextStatus, operations, Workload } from '../workload.ts'
import { createSql, headRowSql, putSql } from './raw-sql.ts'

/** A write on its way, and whom to tell. */
interface Waiting {
  readonly object: ObjectDraft
  readonly creation?: Creation
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** As ours: the server begins the next while the answer to the last is on its way. */
const maxInFlight = 2
const maxBatch = 256

/**
 * What PostgreSQL gives to someone who needs nothing else and knows how to ask: the rows our store would write, into
 * tables our store made, all that waits in one statement with arrays, which is one transaction and one round trip. Its
 * log is in order and without holes. It checks no expectation, no name and no limit: a ceiling, not a rival.
 */
export class RawPostgresContender implements Contender {
  readonly name = 'raw pg'
  readonly operations = operations
  readonly acknowledged: Acknowledged = { puts: 0, creates: 0 }
  readonly #world: World
  readonly #client: pg.Client
  readonly #workload: Workload
  #population: readonly ObjectDraft[] = []
  #waiting: Waiting[] = []
  #inFlight = 0
  #isFlushing = false

  private constructor(world: World, client: pg.Client, workload: Workload) {
    this.#world = world
    this.#client = client
    this.#workload = workload
  }

  static async start(
    world: World,
    { url }: PostgresPlace,
    workload = new Workload(world),
  ): Promise<RawPostgresContender> {
    const store = await openPostgresStore({ url, world })
    await store.close()
    const client = new pg.Client({ connectionString: url, pipeline: true })
    await client.connect()
    await client.query(headRowSql)
    const contender = new RawPostgresContender(world, client, workload)
    await contender.#populate()
    return contender
  }

  write(load: Load): Promise<Sample> {
    const write =
      load.operation === 'put'
        ? (place: number) => this.#put(this.#population[place]!)
        : () => this.#create(this.#workload.creation())
    return keepWriting(this.#world, load, write, this.#workload.population)
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  async #populate(): Promise<void> {
    const creations = this.#workload.creations(this.#workload.population)
    await Promise.all(creations.map(creation => this.#create(creation)))
    this.#population = this.#workload.shuffled(creations.map(({ object }) => object))
  }

  async #put(object: ObjectDraft): Promise<void> {
    const status = nextStatus(object, this.acknowledged.puts)
    await new Promise<void>((resolve, reject) => this.#send({ object: { ...object, status }, resolve, reject }))
    this.acknowledged.puts++
  }

  async #create(creation: Creation): Promise<void> {
    await new Promise<void>((resolve, reject) => this.#send({ object: creation.object, creation, resolve, reject }))
    this.acknowledged.creates++
  }

  #send(waiting: Waiting): void {
    this.#waiting.push(waiting)
    if (this.#isFlushing) return
    this.#isFlushing = true
    queueMicrotask(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    while (this.#inFlight < maxInFlight && this.#waiting.length > 0)
      void this.#commit(this.#waiting.splice(0, maxBatch))
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    this.#inFlight++
    try {
      await this.#client.query(this.#statementFor(batch))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.#inFlight--
    // After those who were told have had the time to write again: what they write belongs to the same batch.
    queueMicrotask(() => this.#flush())
  }

  /** All rows as columns. A batch is all puts or all creates: a load is of one operation. */
  #statementFor(batch: readonly Waiting[]): pg.QueryConfig {
    const objects = batch.map(({ object: { kind, id, spec, ...rest } }) => ({
      kind,
      id,
      spec: JSON.stringify(spec),
      rest: JSON.stringify(rest),
    }))
    const columns = [
      objects.map(({ kind }) => kind),
      objects.map(({ id }) => id),
      objects.map(({ spec }) => spec),
      objects.map(({ rest }) => rest),
      objects.map(() => newId(this.#world, 'cs')),
      this.#world.now(),
    ]
    const creations = batch.flatMap(({ creation }) => creation ?? [])
    if (creations.length === 0) return { name: 'put', text: putSql, values: columns }
    const events = creations.map(({ event }) => event)
    return {
      name: 'create',
      text: createSql,
      values: [
        ...columns,
        creations.map(({ nameKey }) => nameKey),
        creations.flatMap(({ counters }) => counters),
        creations.flatMap(() => [1, 2_000]),
        events.map(({ table }) => table),
        events.map(({ scope }) => scope),
        events.map(({ subject }) => subject),
        events.map(({ body }) => JSON.stringify(body)),
      ],
    }
  }
}
