import { type Duration, type Instant, millis, seconds, type World } from '@stead/world'
import { encodeChangeSet } from '../encoding.ts'
import { LogTail } from '../log/tail.ts'
import { commitWithCertainty } from '../store/certain-commit.ts'
import { EndedError } from '../store/until-answered.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import type { Leases } from '../words/lease.ts'
import type { LogEntry } from '../words/log.ts'
import type { Logger } from '../words/logger.ts'
import type { Ref, Revision } from '../words/object.ts'
import type * as words from '../words/store.ts'
import type { Connector } from './connector.ts'
import { Database, defaultTimeout } from './database.ts'
import { describeServer, type PostgresDescription, warningsOf } from './description.ts'
import { Follower } from './follower.ts'
import { PostgresLeases } from './leases.ts'
import type { StoreState } from './log-page.ts'
import { schemaVersion } from './migrations.ts'
import { Notifications } from './notifications.ts'
import { Pool } from './pool.ts'
import { PostgresReads } from './reads.ts'
import type { SchemaName } from './schema-name.ts'
import { PostgresSeries } from './series.ts'
import { takeSnapshot } from './snapshot.ts'
import { PostgresUpkeep } from './upkeep.ts'
import { BatchWriter } from './writer.ts'

/** How long a closing node waits to read back what it has committed. */
const closingTime = seconds(2)

/** The database has gone back behind what this node had seen committed. */
class LostCommitsError extends EndedError {}

export interface PostgresStoreParts {
  readonly connector: Connector
  readonly schema: SchemaName
  readonly poolSize: number
  readonly log: Logger
  readonly identity: words.StoreIdentity
  /** As it was when the store was opened. */
  readonly state: StoreState
}

/** The store of many machines: one database, any number of nodes. Opened by `openPostgresStore`. */
export class PostgresStore implements words.Store {
  readonly leases: Leases
  readonly series: PostgresSeries
  /** Resolves with the reason if this node can never serve again: the program should say it and end. */
  readonly failed: Promise<Error>
  private readonly failure = Promise.withResolvers<Error>()
  private readonly world: World
  private readonly log: Logger
  private readonly connector: Connector
  private readonly schema: SchemaName
  private readonly pool: Pool
  private readonly database: Database
  private readonly reads: PostgresReads
  private readonly upkeep: PostgresUpkeep
  private readonly tail: LogTail
  private readonly notifications: Notifications
  private readonly follower: Follower
  private readonly writer: BatchWriter
  private current: words.StoreIdentity
  private committed: Revision
  private closing: Promise<void> | undefined

  constructor({ connector, schema, poolSize, log, identity, state }: PostgresStoreParts) {
    this.world = connector.world
    this.log = log
    this.connector = connector
    this.schema = schema
    this.current = identity
    this.committed = state.head
    this.failed = this.failure.promise
    this.pool = new Pool(connector, poolSize)
    this.database = new Database(connector, this.pool, schema)
    this.reads = new PostgresReads(this.database)
    this.upkeep = new PostgresUpkeep(this.database)
    this.leases = new PostgresLeases(this.database)
    this.series = new PostgresSeries(this.database)
    this.tail = new LogTail({ ...state, readLog: (after, limit) => this.reads.log(after, limit) })
    this.notifications = new Notifications(this.database, log, () => this.follower.hint())
    this.follower = new Follower({
      connector,
      schema,
      tail: this.tail,
      notifications: this.notifications,
      log,
      head: () => this.head(),
      onState: (found, known) => this.check(found, known),
      onEnd: reason => void this.fail(reason),
    })
    this.writer = new BatchWriter({ connector, schema, onCommitted: revision => this.onCommitted(revision) })
    this.follower.start()
  }

  get identity(): words.StoreIdentity {
    return this.current
  }

  /** Rejects, and never throws, so that a caller has one place to look. */
  async commit(changeSet: ChangeSet, options?: words.CommitOptions): Promise<Committed> {
    const set = encodeChangeSet(changeSet)
    return commitWithCertainty({
      world: this.world,
      timeout: options?.timeout ?? defaultTimeout,
      send: sending => this.writer.send(set, sending),
    })
  }

  async outcome(changeSetId: string): Promise<Committed | undefined> {
    await this.writer.settled(changeSetId)
    return this.reads.outcome(changeSetId)
  }

  snapshot(): Promise<words.Snapshot> {
    return takeSnapshot(this.database)
  }

  head(): Revision {
    return Math.max(this.tail.head, this.committed)
  }

  headAsOf(): Duration {
    return this.follower.asOf
  }

  watch(after: Revision, signal: AbortSignal): AsyncIterable<readonly LogEntry[]> {
    return this.tail.watch(after, signal)
  }

  async compact(through: Revision): Promise<void> {
    const target = Math.min(through, this.head())
    for (let compacted = this.tail.compacted; compacted < target; ) {
      compacted = await this.upkeep.compact(target)
      this.tail.compactedThrough(compacted)
    }
  }

  /** Another node may have compacted: from here on this one knows. */
  async compacted(): Promise<Revision> {
    this.tail.compactedThrough(await this.reads.compacted())
    return this.tail.compacted
  }

  revisionAt(moment: Instant): Promise<Revision> {
    return this.reads.revisionAt(moment)
  }

  keyHolder(key: string): Promise<string | undefined> {
    return this.reads.keyHolder(key)
  }

  counters(prefix: string): Promise<readonly words.Counter[]> {
    return this.reads.counters(prefix)
  }

  records(query: words.RecordQuery): Promise<readonly words.StoredRecord[]> {
    return this.reads.records(query)
  }

  blob(owner: Ref, hash: string): Promise<Uint8Array | undefined> {
    return this.reads.blob(owner, hash)
  }

  setMarks(marks: readonly words.Mark[]): Promise<void> {
    return this.upkeep.setMarks(marks)
  }

  marks(names: readonly string[]): Promise<readonly words.Mark[]> {
    return this.reads.marks(names)
  }

  expireRecords(request: { table: string; before: Instant; limit: number }): Promise<number> {
    return this.upkeep.expireRecords(request)
  }

  expireOutcomes(request: { before: Instant; limit: number }): Promise<number> {
    return this.upkeep.expireOutcomes(request)
  }

  async resume(): Promise<void> {
    await this.upkeep.resume()
    this.current = { ...this.current, observeOnly: false }
  }

  describe(): PostgresDescription {
    return {
      database: 'postgresql',
      ...describeServer(this.connector),
      schema: this.schema.name,
      notifications: this.notifications.state,
      lag: millis(this.world.monotonic() - this.follower.asOf),
      sessions: this.pool.load.sessions,
      waitingReads: this.pool.load.waiting,
      waitingCommits: this.writer.load.waiting,
      warnings: warningsOf(this.connector, this.notifications.state),
    }
  }

  close(): Promise<void> {
    this.closing ??= this.end()
    return this.closing
  }

  private async end(): Promise<void> {
    await this.writer.close()
    // Watchers see what this node committed before they end; unless the database is away just now.
    await this.follower.reached(this.committed, closingTime)
    this.tail.close()
    await this.follower.stop()
    this.notifications.close()
    await this.database.close()
  }

  private onCommitted(revision: Revision): void {
    this.committed = Math.max(this.committed, revision)
    this.follower.hint()
    this.notifications.tell(revision)
  }

  /** Looks at what the follower found. Other nodes may have changed it; some changes end this node. */
  private check({ head, epoch, observeOnly, minimumVersion }: StoreState, known: Revision): void {
    if (minimumVersion > schemaVersion)
      throw new EndedError(
        `a newer Stead has changed the database so that this version (schema ${schemaVersion}) can no longer use it: upgrade this node`,
      )
    if (epoch !== this.current.epoch)
      throw new EndedError('the database was restored while this node ran: start it again')
    if (head < known)
      throw new LostCommitsError(
        `the database is at revision ${head} and this node has seen ${known}: commits were lost, probably by a failover to a standby that lagged behind. Start again: it will only observe until it is resumed`,
      )
    if (observeOnly !== this.current.observeOnly) this.current = { ...this.current, observeOnly }
  }

  private async fail(reason: EndedError): Promise<void> {
    this.writer.end(reason)
    this.tail.close(reason)
    // Other nodes may not have seen what was lost, and go on as if nothing had happened.
    if (reason instanceof LostCommitsError)
      await this.upkeep.startNewEpoch(this.current.epoch).catch(error => this.log.error({ error }, reason.message))
    this.database.end(reason)
    this.failure.resolve(reason)
  }
}
