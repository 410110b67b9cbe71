import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type Instant, millis, type VirtualNode, type VirtualWorld } from '@stead/world'
import type { EncodedChangeSet } from '../encoding.ts'
import { SqliteReader } from '../sqlite/reader.ts'
import { migrations } from '../sqlite/schema.ts'
import { SqliteSeriesReader, SqliteSeriesWriter } from '../sqlite/series.ts'
import { SqliteUpkeep } from '../sqlite/upkeep.ts'
import { type Applied, SqliteWriter } from '../sqlite/writer.ts'
import type { StoreIdentity } from '../words/store.ts'
import type { EngineFault } from './engine-faults.ts'
import type { Faults } from './faults.ts'
import { interferingWrite } from './interference.ts'
import type { Ledger } from './ledger.ts'
import type { Trace } from './trace.ts'

/** One change-set as it came over the network. */
export interface CommitRequest {
  readonly type: 'commit'
  readonly set: EncodedChangeSet
  readonly resent: boolean
  /** Called when it is on disk, before the answer leaves. */
  readonly synced: (applied: Applied) => void
}

interface DatabaseTools {
  readonly reader: SqliteReader
  readonly upkeep: SqliteUpkeep
  readonly series: { readonly reads: SqliteSeriesReader; readonly writes: SqliteSeriesWriter }
  readonly now: Instant
}

/** Anything else the database can be asked, done between two batches. */
export interface OtherRequest {
  readonly type: 'read' | 'lease' | 'log'
  readonly perform: (tools: DatabaseTools) => unknown
}

export type DatabaseRequest = CommitRequest | OtherRequest
export type DatabaseAnswer = { readonly value: unknown } | { readonly refused: string }

interface Job {
  readonly request: DatabaseRequest
  readonly answer: (answer: DatabaseAnswer) => void
}

/** A change-set and what came of it. */
export interface Synced {
  readonly set: EncodedChangeSet
  readonly applied: Applied
}

/** One that is applied and waits for the sync. */
export interface Written extends Synced {
  readonly resent: boolean
  readonly synced: () => void
  readonly answer: () => void
}

export interface SimulatedDatabaseOptions {
  readonly world: VirtualWorld
  readonly faults: Faults<EngineFault>
  readonly ledger: Ledger
  readonly trace: Trace
  /** The write path; another one to see whether its bugs are found. */
  readonly Writer?: typeof SqliteWriter
}

/**
 * The one database all nodes share: the real SQL on a database in memory, behind a process that can die.
 * What is begun and applied is not yet on disk; `commit` is the sync. A crash in between rolls back.
 * While a batch is being synced everything else waits, and what came meanwhile shares the next one.
 */
export class SimulatedDatabase {
  readonly reader: SqliteReader
  /** Told of each batch that is on disk. */
  readonly listeners = new Set<(batch: readonly Synced[]) => void>()
  /** Whose it is; every node asks for it each time. */
  identity: StoreIdentity = { storeId: 'store_simulated', epoch: 1, observeOnly: false }
  protected readonly options: SimulatedDatabaseOptions
  readonly #connection = new DatabaseSync(':memory:')
  readonly #upkeep: SqliteUpkeep
  readonly #series: DatabaseTools['series']
  readonly #findHolder: StatementSync
  readonly #findHeld: StatementSync
  protected writer: SqliteWriter
  protected process: VirtualNode
  #inbox: Job[] = []
  #state: 'idle' | 'busy' | 'down' = 'idle'

  constructor(options: SimulatedDatabaseOptions) {
    this.options = options
    for (const migration of migrations) this.#connection.exec(migration)
    this.reader = new SqliteReader(this.#connection)
    this.#upkeep = new SqliteUpkeep(this.#connection)
    this.#series = {
      reads: new SqliteSeriesReader(this.#connection),
      writes: new SqliteSeriesWriter(this.#connection),
    }
    this.#findHolder = this.#connection.prepare('SELECT holder FROM leases WHERE name = ? AND expires_at > ?')
    this.#findHeld = this.#connection.prepare('SELECT name, holder FROM leases WHERE expires_at > ?')
    this.#findHeld.setReturnArrays(true)
    this.writer = this.#newWriter()
    this.process = options.world.node({ name: 'database' })
  }

  /** The clock that leases expire by. */
  now(): Instant {
    return this.process.now()
  }

  get isUp(): boolean {
    return this.#state !== 'down'
  }

  /** A request arrives. It is answered later, or never. */
  receive(request: DatabaseRequest, answer: (answer: DatabaseAnswer) => void): void {
    if (!this.isUp) {
      answer({ refused: 'the database is not there' })
      return
    }
    this.#inbox.push({ request, answer })
    if (this.#state === 'idle') this.#next()
  }

  /** Dies with all that is not on disk, and comes back. */
  crash(why: string): void {
    const { world, faults, trace } = this.options
    if (!this.isUp) return
    trace.add('database', `dies (${why})`)
    this.writer.rollback()
    this.process.kill()
    this.#inbox = []
    this.#state = 'down'
    const back = faults.strikes('database-clock-back') ? faults.between('database-clock-back', 10, 20_000) : 0
    const skew = millis(this.process.skew - back)
    world.setTimer(millis(50 + 3_000 * world.chance.next()), () => this.#start(skew))
  }

  /** It was brought back from a backup: a new epoch, that only observes. What is in it is what was in the backup. */
  restored(): void {
    this.identity = { ...this.identity, epoch: this.identity.epoch + 1, observeOnly: true }
  }

  /** Who holds this lease now, by the database's own clock. */
  holderOf(lease: string): string | undefined {
    return (this.#findHolder.get(lease, this.now()) as { holder: string } | undefined)?.holder
  }

  /** Everything that is held now, and by whom. */
  leasesHeld(): ReadonlyMap<string, string> {
    return new Map(this.#findHeld.all(this.now()) as unknown as [string, string][])
  }

  /** Holds what is on disk against what should be. */
  compareWithLedger(): void {
    const { reader } = this
    const compacted = reader.compacted()
    const everything = Number.MAX_SAFE_INTEGER
    const objects = reader.objects(0, everything)
    this.options.ledger.compare({ compacted, log: reader.log(compacted, everything), objects })
  }

  close(): void {
    this.process.kill()
    this.#connection.close()
  }

  #start(skew: ReturnType<typeof millis>): void {
    const { world, trace } = this.options
    this.process = world.node({ name: 'database', skew })
    this.writer = this.#newWriter()
    this.#state = 'idle'
    trace.add('database', `is back at revision ${this.writer.revision}`)
    this.compareWithLedger()
  }

  #newWriter(): SqliteWriter {
    return new (this.options.Writer ?? SqliteWriter)(this.#connection)
  }

  #next(): void {
    this.#state = this.#inbox.length === 0 ? 'idle' : 'busy'
    // What arrives within this moment shares one batch.
    if (this.#inbox.length > 0) this.process.setTimer(millis(this.process.random()), () => this.#work())
  }

  #work(): void {
    const jobs = this.#inbox
    this.#inbox = []
    const batch: { request: CommitRequest; answer: Job['answer'] }[] = []
    for (const { request, answer } of jobs) {
      if (request.type === 'commit') batch.push({ request, answer })
      else
        answer({
          value: request.perform({ reader: this.reader, upkeep: this.#upkeep, series: this.#series, now: this.now() }),
        })
    }
    if (batch.length === 0) this.#next()
    else {
      this.writer.begin(this.now())
      this.write(batch.flatMap(({ request, answer }) => this.#apply(request, answer)))
    }
  }

  #apply(request: CommitRequest, answer: Job['answer']): Written[] {
    const { faults, ledger } = this.options
    const written: Written[] = []
    const other = faults.strikes('interfering-write') ? interferingWrite(request.set, ledger) : undefined
    if (other) written.push({ set: other, resent: false, applied: this.writer.apply(other), synced() {}, answer() {} })
    const applied = this.writer.apply(request.set, request.resent)
    written.push({
      set: request.set,
      resent: request.resent,
      applied,
      synced: () => request.synced(applied),
      answer: () => answer({ value: applied }),
    })
    return written
  }

  /** Between applying and syncing lies the disk, and with it the only moment in which a batch can be lost. */
  protected write(batch: readonly Written[]): void {
    const { faults } = this.options
    const delay = faults.strikes('disk-slow') ? faults.between('disk-slow', 300, 6_000) : 0.1 + this.process.random()
    this.process.setTimer(millis(delay), () => {
      if (faults.strikes('database-crash-before-sync')) return this.crash('before the sync')
      this.sync(batch)
      if (faults.strikes('database-crash-after-sync')) return this.crash('after the sync')
      for (const { answer } of batch) answer()
      this.#next()
    })
  }

  protected sync(batch: readonly Written[]): void {
    const { ledger, trace } = this.options
    this.writer.commit()
    for (const { set, resent, applied, synced } of batch) {
      ledger.settled(set, applied, resent)
      trace.add('database', describe(set, applied))
      synced()
    }
    for (const listener of this.listeners) listener(batch)
  }
}

function describe(set: EncodedChangeSet, applied: Applied): string {
  const what = [
    ...set.removes.map(({ kind, id }) => `-${kind}/${id}`),
    ...set.puts.map(({ kind, id }) => `+${kind}/${id}`),
  ].join(' ')
  if ('conflict' in applied) return `refuses ${set.id} (${applied.conflict.type}): ${what}`
  return `${applied.replayed ? 'has' : 'takes'} ${set.id} at ${applied.committed.revision}: ${what}`
}
