import { millis, type World } from '@stead/world'
import pg from 'pg'
import type { PostgresPlace } from '../place.ts'

const pageSize = 512
/** As often as a node of ours looks that nobody tells: while something happens, and otherwise. */
const watchful = millis(50)
const restful = millis(500)
const activeFor = 5_000

/** Reads what all have written, as a program must that runs on several nodes and answers from memory. */
export class RawFollower {
  readonly #world: World
  readonly #client: pg.Client
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #revision = 0
  #lastChange = 0

  private constructor(world: World, client: pg.Client) {
    this.#world = world
    this.#client = client
    this.#running = this.#run()
  }

  static async start(world: World, { url }: PostgresPlace): Promise<RawFollower> {
    const client = new pg.Client(url)
    await client.connect()
    return new RawFollower(world, client)
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#client.end()
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      while ((await this.#read()) === pageSize);
      const pause = this.#world.monotonic() - this.#lastChange < activeFor ? watchful : restful
      await this.#world.sleep(pause, this.#stopping.signal).catch(() => {})
    }
  }

  async #read(): Promise<number> {
    const { rows } = await this.#client.query<{ revision: string; changes: string }>({
      name: 'follow',
      text: 'SELECT revision, changes FROM stead.log WHERE revision > $1 ORDER BY revision LIMIT $2',
      values: [this.#revision, pageSize],
    })
    for (const { revision, changes } of rows) {
      JSON.parse(changes)
      if (Number(revision) !== ++this.#revision) throw new Error(`raw pg saw ${revision} after ${this.#revision - 1}`)
    }
    if (rows.length > 0) this.#lastChange = this.#world.monotonic()
    return rows.length
  }
}
