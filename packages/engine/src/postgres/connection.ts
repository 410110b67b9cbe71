import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import { type Duration, seconds, type World } from '@stead/world'
import pg from 'pg'
import type { DatabaseAddress, DatabaseHost } from './address.ts'

/** What a server says of itself when a session begins. */
export interface ServerFacts {
  /** E.g. 150018 for 15.18. */
  readonly version: number
  readonly standby: boolean
  readonly fsync: boolean
  readonly encoding: string
  readonly user: string
  readonly database: string
}

export interface ConnectionOptions {
  readonly world: World
  readonly address: DatabaseAddress
  readonly host: DatabaseHost
  readonly timeout: Duration
  /** Sends a query while the one before it is still being answered. */
  readonly pipeline: boolean
  /** Whether the session's settings may be sent along. Some poolers refuse whoever does. */
  readonly settings: boolean
  /** Whether the session is ours alone for its life, so that the server can keep prepared statements for it. */
  readonly prepares: () => boolean
}

/** How long an answer may take when nobody said how long. */
const defaultTimeout = seconds(10)

/** What a session may do at most, so that nothing it began outlives the process that began it for long. */
const settings = {
  statement_timeout: seconds(30),
  idle_in_transaction_session_timeout: seconds(60),
}

/** A peer that vanished without a word is noticed after this long without traffic. */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** Numbers as numbers: all of ours are below 2^53. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  20: Number,
  1016: text => JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`),
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

const names = new Map<string, string>()

/** By its text: a pooler that mixes up sessions can then only mix up what is the same. */
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `stead_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
    names.set(text, name)
  }
  return name
}

/** One session. Every query has a deadline; one that misses it costs the session, because nobody knows what state it is in. */
export class Connection {
  private readonly world: World
  private readonly client: pg.Client
  private readonly socket = new Socket()
  private readonly prepares: () => boolean
  private readonly lost = Promise.withResolvers<void>()
  private isLost = false

  private constructor({ world, address, host, pipeline, settings: maySet, prepares }: ConnectionOptions) {
    this.world = world
    this.prepares = prepares
    const { user, database, tls } = address
    const password = address.password()
    this.client = new pg.Client({
      host: host.host,
      port: host.port,
      ...(user !== undefined && { user }),
      ...(database !== undefined && { database }),
      ...(password !== undefined && { password }),
      ssl: tls,
      stream: () => this.socket,
      application_name: 'stead',
      client_encoding: 'UTF8',
      pipeline,
      types,
      ...keepAlive,
      ...(maySet && settings),
    })
    this.client.on('error', () => this.abandon())
    this.client.on('end', () => this.abandon())
  }

  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options)
    await connection.within(options.timeout, () => connection.client.connect())
    return connection
  }

  /** Set once the session is over, for whatever reason. */
  get ended(): boolean {
    return this.isLost
  }

  /** Resolves when the session is over. */
  get end(): Promise<void> {
    return this.lost.promise
  }

  /** Without values, `text` may be several statements. */
  async query<Row>(text: string, values?: readonly unknown[], timeout = defaultTimeout): Promise<Row[]> {
    const result = await this.within(timeout, () => this.client.query(text, values as unknown[] | undefined))
    return result.rows as Row[]
  }

  /** The same for a statement that comes again and again: parsed and planned once, where that is possible. */
  async prepared<Row>(text: string, values: readonly unknown[], timeout?: Duration): Promise<Row[]> {
    if (!this.prepares()) return this.query(text, values, timeout)
    const query = { name: nameOf(text), text, values: values as unknown[] }
    const result = await this.within(timeout ?? defaultTimeout, () => this.client.query(query))
    return result.rows as Row[]
  }

  async facts(timeout: Duration): Promise<ServerFacts> {
    const [facts] = await this.query<ServerFacts>(
      `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
              current_setting('fsync') = 'on' AS fsync, current_setting('server_encoding') AS encoding,
              current_user AS user, current_database() AS database`,
      [],
      timeout,
    )
    return facts!
  }

  onNotification(listener: (payload: string) => void): void {
    this.client.on('notification', ({ payload }) => listener(payload ?? ''))
  }

  /** Ends the session now. What it was asked and has not answered fails. */
  abandon(): void {
    if (this.isLost) return
    this.isLost = true
    this.socket.destroy()
    this.lost.resolve()
  }

  /** Says goodbye. */
  async close(): Promise<void> {
    if (this.isLost) return
    await this.within(seconds(1), () => this.client.end()).catch(() => undefined)
    this.abandon()
  }

  private async within<T>(timeout: Duration, work: () => Promise<T>): Promise<T> {
    let late = false
    const timer = this.world.setTimer(timeout, () => {
      late = true
      this.abandon()
    })
    try {
      return await work()
    } catch (error) {
      throw late ? new Error(`no answer within ${Math.round(timeout)} ms`, { cause: error }) : error
    } finally {
      timer.cancel()
    }
  }
}
