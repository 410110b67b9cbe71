import { type Duration, millis, seconds, type World } from '@stead/world'
import { type BackoffOptions, backoff } from '../backoff.ts'
import type { LogTail } from '../log/tail.ts'
import { EndedError } from '../store/until-answered.ts'
import type { Logger } from '../words/logger.ts'
import type { Revision } from '../words/object.ts'
import type { Connection } from './connection.ts'
import type { Connector } from './connector.ts'
import { describeFailure } from './failure.ts'
import { decodePage, type LogRow, logPageSql, pageBytes, type StoreState } from './log-page.ts'
import type { Notifications } from './notifications.ts'
import type { SchemaName } from './schema-name.ts'
import { WakeableWait } from './wakeable.ts'

export interface FollowerOptions {
  readonly connector: Connector
  readonly schema: SchemaName
  readonly tail: LogTail
  readonly notifications: Notifications
  readonly log: Logger
  /** The newest revision this node knows to be committed. */
  readonly head: () => Revision
  /**
   * Called with every look at the database, before what was found is passed on, and with what was known when it was
   * asked. Throws EndedError when this node can't go on.
   */
  readonly onState: (state: StoreState, known: Revision) => void
  readonly onEnd: (reason: EndedError) => void
}

const pageSize = 512
const answerTimeout = seconds(5)
const reconnects: BackoffOptions = { first: millis(50), cap: millis(1_000) }

/** How often to look when nobody says that there is something to see. */
const restful = millis(500)
/** How often where notifications are swallowed, for as long after the last change as `activeFor`. */
const watchful = millis(50)
const activeFor = seconds(5)
/** Between looks at a database so slow that the next one would be due already. */
const shortestPause = millis(10)

/** Reads the log as it grows, whoever writes it, and feeds the tail: the only way entries get there, so in one order. */
export class Follower {
  private readonly options: FollowerOptions
  private readonly world: World
  private readonly sql: string
  private readonly pause: WakeableWait
  private connection: Connection | undefined
  private running: Promise<void> | undefined
  private stopped = false
  private failures = 0
  /** Whether a question is under way on the session that listens. */
  private isAsking = false
  private currentAsOf: Duration
  private lastChange: Duration
  private readonly arrivals: { readonly revision: Revision; readonly wake: () => void }[] = []

  constructor(options: FollowerOptions) {
    this.options = options
    this.world = options.connector.world
    this.sql = options.schema.in(logPageSql)
    this.pause = new WakeableWait(this.world)
    this.currentAsOf = this.world.monotonic()
    this.lastChange = this.currentAsOf
  }

  start(): void {
    this.running ??= this.run()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.pause.wake()
    this.connection?.abandon()
    await this.running
  }

  /** There may be something new. */
  hint(): void {
    this.pause.wake()
  }

  /** Resolves when the tail is there, or at the latest after `longest`. */
  async reached(revision: Revision, longest: Duration): Promise<void> {
    if (this.options.tail.head >= revision || this.stopped) return
    const arrival = new WakeableWait(this.world)
    this.arrivals.push({ revision, wake: () => arrival.wake() })
    this.hint()
    await arrival.wait(longest)
  }

  /** When the tail was last known to hold all of the log, by the monotonic clock. */
  get asOf(): Duration {
    return this.currentAsOf
  }

  private async run(): Promise<void> {
    while (!this.stopped)
      try {
        const connection = await this.connect()
        const began = this.world.monotonic()
        if (await this.read(connection)) await this.pause.wait(this.pauseSince(began))
        this.failures = 0
      } catch (error) {
        this.options.connector.hasSpoilt(error)
        this.connection?.abandon()
        this.connection = undefined
        if (this.stopped) return
        if (error instanceof EndedError) return this.options.onEnd(error)
        await this.recover(error)
      }
  }

  /** Whether all there was has been read. */
  private async read(connection: Connection): Promise<boolean> {
    const { tail, onState, head } = this.options
    const askedAt = this.world.monotonic()
    const known = head()
    this.isAsking = true
    const rows = await connection
      .prepared<LogRow>(this.sql, [tail.head, pageSize, pageBytes], answerTimeout)
      .finally(() => {
        this.isAsking = false
      })
    const { state, entries } = decodePage(rows)
    onState(state, known)
    tail.compactedThrough(state.compacted)
    tail.append(entries)
    if (entries.length > 0) this.lastChange = askedAt
    for (const { revision, wake } of this.arrivals) if (tail.head >= revision) wake()
    if (tail.head < state.head) return false
    this.currentAsOf = askedAt
    return true
  }

  private async connect(): Promise<Connection> {
    if (this.connection && !this.connection.ended) return this.connection
    const { connector, notifications, schema } = this.options
    const connection = await connector.connect(answerTimeout)
    this.connection = connection
    if (this.stopped) connection.abandon()
    connection.onNotification(payload => notifications.heard(payload, this.isAsking))
    await connection.query(`LISTEN ${schema.channel}`, [], answerTimeout)
    void notifications.test()
    return connection
  }

  /** Counted from when the last look began: a slow answer makes looks longer, not rarer. */
  private pauseSince(began: Duration): Duration {
    const passed = this.world.monotonic() - began
    return millis(Math.max(shortestPause, this.interval() - passed))
  }

  private interval(): Duration {
    if (this.options.notifications.state === 'working') return restful
    return this.world.monotonic() - this.lastChange < activeFor ? watchful : restful
  }

  private async recover(error: unknown): Promise<void> {
    this.failures++
    // The first is no news: a restart or a broken connection is mended by asking again.
    if (this.failures > 1)
      this.options.log.warn({ reason: describeFailure(error) }, 'the database cannot be followed; trying again')
    await this.pause.wait(backoff(reconnects, this.failures, this.world.random()))
  }
}
