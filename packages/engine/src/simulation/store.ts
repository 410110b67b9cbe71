import { type Duration, type Instant, millis, seconds, type VirtualNode, type VirtualWorld } from '@stead/world'
import { decodeEntry, decodeObject, type EncodedChangeSet, encodeChangeSet } from '../encoding.ts'
import { type LogPage, LogTail } from '../log/tail.ts'
import type { Applied } from '../sqlite/writer.ts'
import { commitWithCertainty, type Sending } from '../store/certain-commit.ts'
import { untilAnswered } from '../store/until-answered.ts'
import type { ChangeSet, Committed } from '../words/change-set.ts'
import { ConflictError, UnavailableError } from '../words/errors.ts'
import type { Lease, LeaseRequest, Leases } from '../words/lease.ts'
import type { LogEntry } from '../words/log.ts'
import type { Ref, Revision, StoredObject } from '../words/object.ts'
import type { Series } from '../words/series.ts'
import type {
  CommitOptions,
  Mark,
  RecordQuery,
  Snapshot,
  Store,
  StoreDescription,
  StoreIdentity,
} from '../words/store.ts'
import type { OtherRequest, SimulatedDatabase } from './database.ts'
import type { EngineFault } from './engine-faults.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import { Link } from './link.ts'
import { LogFollower } from './log-follower.ts'
import type { Trace } from './trace.ts'
import type { EngineInvariant, Watch } from './violations.ts'

export interface SimulatedStoreOptions {
  readonly world: VirtualWorld
  readonly node: VirtualNode
  readonly database: SimulatedDatabase
  readonly faults: Faults<EngineFault>
  readonly ledger: Ledger
  readonly violations: Watch<EngineInvariant>
  readonly trace: Trace
  /** What happens when a fault says that the node dies here. */
  readonly die: (why: string) => void
}

type Tools = Parameters<OtherRequest['perform']>[0]

/** So few that slow watchers fall off it and read back from the database. */
const remembered = 12
const snapshotChunk = 10
const defaultTimeout = seconds(10)
const logTimeout = seconds(3)

/** One node's store: the database, seen through a network that loses, repeats, delays and is cut. */
export class SimulatedStore implements Store {
  readonly link: Link
  protected readonly options: SimulatedStoreOptions
  protected readonly tail: LogTail
  readonly #follower: LogFollower
  readonly #hear: () => void
  #committed: Revision = 0

  /** Keeps trying until the database answers, as a supervisor would that starts the process again and again. */
  static async open(options: SimulatedStoreOptions): Promise<SimulatedStore> {
    const link = new Link(options)
    for (;;) {
      try {
        const start = await link.ask(
          { type: 'log', perform: ({ reader }) => ({ head: reader.head(), compacted: reader.compacted() }) },
          seconds(2),
        )
        return new this(options, link, start as { head: Revision; compacted: Revision })
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error
        await options.node.sleep(millis(500))
      }
    }
  }

  protected constructor(
    options: SimulatedStoreOptions,
    link: Link,
    { head, compacted }: { head: Revision; compacted: Revision },
  ) {
    const { node, faults, database } = options
    this.options = options
    this.link = link
    const readLog = (after: Revision, limit: number) => this.#readLog(after, limit)
    this.tail = new LogTail({ head, compacted, readLog, capacity: remembered })
    this.#follower = new LogFollower({ node, faults, tail: this.tail, readLog })
    this.#hear = () => link.hint(() => this.#follower.hint())
    database.listeners.add(this.#hear)
    this.#follower.follow().catch(error => options.violations.add('no bug surfaces', String(error)))
  }

  get identity(): StoreIdentity {
    return this.options.database.identity
  }

  async commit(set: ChangeSet, { timeout = defaultTimeout }: CommitOptions = {}): Promise<Committed> {
    const { node, faults, ledger, die } = this.options
    const encoded = encodeChangeSet(set)
    if (faults.strikes('node-crash-before-commit')) die('before a commit')
    try {
      const send = (sending: Sending) => this.send(encoded, sending)
      const committed = await commitWithCertainty({ world: node, timeout, send })
      ledger.acknowledged(set.id, committed.revision)
      this.#committed = Math.max(this.#committed, committed.revision)
      return committed
    } catch (error) {
      if (error instanceof ConflictError) ledger.refused(set.id)
      throw error
    }
  }

  protected async send(set: EncodedChangeSet, { timeout, resent }: Sending): Promise<Committed> {
    const { faults, die } = this.options
    const synced = (applied: Applied) => {
      if ('committed' in applied && !applied.replayed && faults.strikes('node-crash-after-commit'))
        die('after a commit')
    }
    const applied = (await this.link.ask({ type: 'commit', set, resent, synced }, timeout)) as Applied
    if ('conflict' in applied) throw new ConflictError(applied.conflict)
    return applied.committed
  }

  outcome(changeSetId: string): Promise<Committed | undefined> {
    return this.#ask(({ reader }) => reader.outcome(changeSetId))
  }

  async snapshot(): Promise<Snapshot> {
    const { revision, objects } = await this.#ask(({ reader }) => ({
      revision: reader.head(),
      objects: reader.objects(0, Number.MAX_SAFE_INTEGER).map(decodeObject),
    }))
    return { revision, objects: this.#inChunks(objects) }
  }

  head(): Revision {
    return Math.max(this.tail.head, this.#committed)
  }

  headAsOf(): Duration {
    return this.#follower.asOf
  }

  async *watch(after: Revision, signal: AbortSignal): AsyncGenerator<readonly LogEntry[]> {
    const { faults, ledger, node } = this.options
    let position = after
    for await (const entries of this.follow(after, signal)) {
      if (faults.strikes('watch-cut')) throw new UnavailableError('the watch was cut')
      ledger.watched(position, entries, node.name)
      position += entries.length
      yield entries
    }
  }

  protected follow(after: Revision, signal: AbortSignal): AsyncIterable<readonly LogEntry[]> {
    return this.tail.watch(after, signal)
  }

  async compact(through: Revision): Promise<void> {
    await this.#ask(({ upkeep }) => upkeep.compact(through))
  }

  compacted(): Promise<Revision> {
    return this.#ask(({ reader }) => reader.compacted())
  }

  revisionAt(moment: Instant): Promise<Revision> {
    return this.#ask(({ reader }) => reader.revisionAt(moment))
  }

  keyHolder(key: string): Promise<string | undefined> {
    return this.#ask(({ reader }) => reader.keyHolder(key))
  }

  counters(prefix: string) {
    return this.#ask(({ reader }) => reader.counters(prefix))
  }

  async records(query: RecordQuery) {
    const rows = await this.#ask(({ reader }) => reader.records(query))
    return rows.map(({ body, ...row }) => ({ ...row, table: query.table, scope: query.scope, body: JSON.parse(body) }))
  }

  blob(owner: Ref, hash: string): Promise<Uint8Array | undefined> {
    return this.#ask(({ reader }) => reader.blob(owner, hash))
  }

  setMarks(marks: readonly Mark[]): Promise<void> {
    return this.#ask(({ upkeep }) => upkeep.setMarks(marks))
  }

  marks(names: readonly string[]): Promise<readonly Mark[]> {
    return this.#ask(({ reader }) => reader.marks(names))
  }

  expireRecords(request: { table: string; before: Instant; limit: number }): Promise<number> {
    return this.#ask(({ upkeep }) => upkeep.expireRecords(request))
  }

  expireOutcomes(request: { before: Instant; limit: number }): Promise<number> {
    return this.#ask(({ upkeep }) => upkeep.expireOutcomes(request))
  }

  async resume(): Promise<void> {
    await this.#ask(() => {
      const { database } = this.options
      database.identity = { ...database.identity, observeOnly: false }
    })
  }

  describe(): StoreDescription {
    return { database: 'simulated', version: '1', waitingCommits: 0, warnings: [] }
  }

  async close(): Promise<void> {
    this.abandon()
    this.#follower.close()
    this.tail.close()
  }

  /** The node is dead: nobody tells it anything any more. */
  abandon(): void {
    this.options.database.listeners.delete(this.#hear)
  }

  readonly series: Series = {
    put: pieces => this.#ask(({ series }) => series.writes.put(pieces)),
    read: query => this.#ask(({ series }) => series.reads.read(query)),
    subjects: page => this.#ask(({ series }) => series.reads.subjects(page)),
    remove: subjects => this.#ask(({ series }) => series.writes.remove(subjects)),
    expire: request => this.#ask(({ series }) => series.writes.expire(request)),
  }

  get leases(): Leases {
    const { ledger, trace, node } = this.options
    const tell = (verb: string, leases: readonly Lease[]) =>
      trace.add('database', `${node.name} ${verb} ${leases.map(({ name, fence }) => `${name}#${fence}`).join(' ')}`)
    return {
      acquire: (request: LeaseRequest) =>
        this.#ask(({ upkeep, now }) => {
          const leases = upkeep.acquire(request, now)
          ledger.leased(leases)
          tell('takes', leases)
          return leases
        }, 'lease'),
      renew: (request: LeaseRequest) => this.#ask(({ upkeep, now }) => upkeep.renew(request, now), 'lease'),
      release: leases =>
        this.#ask(({ upkeep }) => {
          upkeep.release(leases)
          tell('lets go of', leases)
        }),
      list: () => this.#ask(({ upkeep, now }) => upkeep.leases(now)),
    }
  }

  async #readLog(after: Revision, limit: number): Promise<LogPage> {
    const page = await this.#ask(
      ({ reader }) => ({
        compacted: reader.compacted(),
        rows: reader.head() > after ? reader.log(after, limit) : [],
      }),
      'log',
    )
    return { compacted: page.compacted, entries: page.rows.map(decodeEntry) }
  }

  async *#inChunks(objects: readonly StoredObject[]): AsyncGenerator<readonly StoredObject[]> {
    const { faults, node } = this.options
    for (let from = 0; from < objects.length; from += snapshotChunk) {
      await node.sleep(millis(0.1))
      if (faults.strikes('snapshot-cut')) throw new UnavailableError('the snapshot was cut')
      yield objects.slice(from, from + snapshotChunk)
    }
  }

  /** Whoever follows the log asks again by himself; everything else is asked until it is answered, as PostgreSQL is. */
  #ask<T>(perform: (tools: Tools) => T, type: OtherRequest['type'] = 'read'): Promise<T> {
    const attempt = ({ timeout }: { timeout: Duration }) => this.link.ask({ type, perform }, timeout) as Promise<T>
    if (type === 'log') return attempt({ timeout: logTimeout })
    return untilAnswered({ world: this.options.node, timeout: defaultTimeout, attempt })
  }
}
