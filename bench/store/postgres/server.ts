import { chmodSync } from 'node:fs'
import { PostgresCluster } from '@stead/testing/postgres'
import pg from 'pg'
import type { Scratch } from '../../harness/scratch.ts'
import type { Contender } from '../contender.ts'
import type { PostgresPlace } from '../place.ts'
import { compareRows, rowCountsSql } from '../rows.ts'

/** PostgreSQL as npm brings it, with its defaults, on the disk to be measured. What it acknowledges is on that disk. */
export class BenchServer {
  readonly cluster: PostgresCluster
  #databases = 0

  private constructor(cluster: PostgresCluster) {
    this.cluster = cluster
  }

  static async start(scratch: Scratch): Promise<BenchServer> {
    // The server's own user, where that is not ours, must be able to come to its files.
    chmodSync(scratch.directory, 0o755)
    const options = { edition: 'embedded postgresql', fsync: true, parent: scratch.directory } as const
    return new BenchServer(await PostgresCluster.start(options))
  }

  async newPlace(): Promise<PostgresPlace> {
    const name = `bench_${++this.#databases}`
    await this.ask('postgres', `CREATE DATABASE ${name}`)
    return { type: 'postgresql', url: this.cluster.url(name) }
  }

  async version(): Promise<string> {
    const [row] = await this.ask('postgres', 'SHOW server_version')
    return String(row!.server_version)
  }

  /** Throws unless the tables hold exactly the rows of what was acknowledged. */
  async checkRows(contender: Pick<Contender, 'name' | 'acknowledged'>, { url }: PostgresPlace): Promise<void> {
    const [found] = await this.ask(new URL(url).pathname.slice(1), rowCountsSql('stead.'))
    compareRows(contender, found!)
  }

  stop(): Promise<void> {
    return this.cluster.stop()
  }

  private async ask(database: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.cluster.url(database))
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
}
