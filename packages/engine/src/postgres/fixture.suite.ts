import { PostgresCluster, type PostgresEdition, PostgresProxy } from '@stead/testing'
import { realWorld } from '@stead/world'
import pg from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openPostgresStore, type PostgresStoreOptions } from './open-store.ts'
import type { PostgresStore } from './store.ts'

/** A server for all tests of a file, with a database of its own for each that asks. */
export class TestServer {
  private running: PostgresCluster | undefined
  private databases = 0

  constructor(edition: PostgresEdition, options: { readonly fsync?: boolean } = {}) {
    beforeAll(async () => {
      this.running = await PostgresCluster.start({ edition, fsync: options.fsync ?? false })
    })
    afterAll(async () => {
      await this.running?.stop()
    })
  }

  get cluster(): PostgresCluster {
    if (!this.running) throw new Error('the server is not started yet')
    return this.running
  }

  /** Statements of a superuser. */
  async run<Row extends pg.QueryResultRow>(database: string, sql: string): Promise<Row[]> {
    const client = new pg.Client(this.cluster.url(database))
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }

  async newDatabase(template = 'template1'): Promise<string> {
    const name = `test_${++this.databases}`
    await this.run('postgres', `CREATE DATABASE ${name} TEMPLATE ${template}`)
    return name
  }

  /** A node on this database, closed after the test. */
  async open(database: string, options: Partial<PostgresStoreOptions> = {}): Promise<PostgresStore> {
    const store = await openPostgresStore({ url: this.cluster.url(database), world: realWorld, ...options })
    onTestFinished(() => store.close())
    return store
  }

  /** The same, with a proxy between. */
  async openBehindProxy(
    database: string,
    options: Partial<PostgresStoreOptions> = {},
  ): Promise<{ store: PostgresStore; proxy: PostgresProxy }> {
    const proxy = await PostgresProxy.start(this.cluster)
    // Runs after the store has closed: what is registered first is finished last.
    onTestFinished(() => proxy.stop())
    const store = await this.open(database, { ...options, url: proxy.through(this.cluster.url(database)) })
    return { store, proxy }
  }
}
