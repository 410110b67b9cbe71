import { millis } from '@stead/world'
import type { EncodedChangeSet } from '../encoding.ts'
import type { Sending } from '../store/certain-commit.ts'
import { EndedError } from '../store/until-answered.ts'
import type { Committed } from '../words/change-set.ts'
import { ConflictError } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import { type BatchRow, commitBatchSql, decodeAnswers, encodeBatch } from './batch.ts'
import type { Connection } from './connection.ts'
import type { Connector } from './connector.ts'
import { asCallerError, failureKind } from './failure.ts'
import { CommitQueue, type Waiting } from './queue.ts'
import type { SchemaName } from './schema-name.ts'

export interface BatchWriterOptions {
  readonly connector: Connector
  readonly schema: SchemaName
  /** Called with the newest revision of what was committed, before any of its writers learns that it was. */
  readonly onCommitted: (revision: Revision) => void
}

/** Two: the server begins the next while the answer to the last is on its way and the one after is encoded. */
const maxInFlight = 2
/** The server gives up waiting for its turn after 2 s: this is longer, so that it has when we ask again. */
const longest = millis(2_500)

/**
 * Gathers what arrives while the database is busy and sends it as one batch: it syncs its disk once for many.
 * One session, so that what is sent in an order is committed in that order.
 */
export class BatchWriter {
  private readonly options: BatchWriterOptions
  private readonly sql: string
  private readonly queue: CommitQueue
  private batches = 0
  private flushing = false
  private ending: EndedError | undefined
  private session: Promise<Connection> | undefined
  /** Of the next batch. */
  private answered = Promise.withResolvers<void>()

  constructor(options: BatchWriterOptions) {
    this.options = options
    this.sql = options.schema.in(commitBatchSql)
    this.queue = new CommitQueue(options.connector.world)
  }

  /** How many change-sets wait to be sent, and how many batches are not answered yet. */
  get load(): { readonly waiting: number; readonly batches: number } {
    return { waiting: this.queue.length, batches: this.batches }
  }

  /** Sends a change-set once. Rejects with UnavailableError when no answer came. */
  send(set: EncodedChangeSet, sending: Sending): Promise<Committed> {
    if (this.ending) return Promise.reject(this.ending)
    const answer = this.queue.add(set, sending)
    this.flushSoon()
    return answer
  }

  /** Resolves when what this node has sent under this id has been answered, or never will be. */
  async settled(changeSetId: string): Promise<void> {
    while (this.queue.has(changeSetId)) await this.answered.promise
  }

  /** Takes nothing more. */
  end(reason: EndedError): void {
    this.ending ??= reason
  }

  /** Takes nothing more; resolves when all that was taken is answered. */
  async close(): Promise<void> {
    this.end(new EndedError('the store is closed'))
    while (this.queue.length + this.batches > 0) await this.answered.promise
    this.queue.close()
    await this.session?.then(
      connection => connection.close(),
      () => undefined,
    )
  }

  /** In a microtask: all that was told by one answer writes again in the same turn, and shall be one batch. */
  private flushSoon(): void {
    if (this.flushing || this.batches >= maxInFlight) return
    this.flushing = true
    queueMicrotask(() => {
      this.flushing = false
      while (this.batches < maxInFlight && this.queue.length > 0) void this.flush(this.queue.takeBatch())
    })
  }

  private async flush(batch: readonly Waiting[]): Promise<void> {
    this.batches++
    await this.commit(batch)
    this.queue.settled(batch)
    this.batches--
    this.flushSoon()
    this.answered.resolve()
    this.answered = Promise.withResolvers()
  }

  private async commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const connection = await this.connect()
      const [row] = await connection.prepared<BatchRow>(this.sql, encodeBatch(batch), longest)
      this.settle(batch, row!)
    } catch (error) {
      if (this.options.connector.hasSpoilt(error)) void this.session?.then(connection => connection.abandon())
      // One that makes the database fail must not take its neighbours along: each is tried on its own.
      if (failureKind(error) === 'bug' && batch.length > 1) for (const each of batch) await this.commit([each])
      else for (const { reject } of batch) reject(asCallerError(error))
    }
  }

  private settle(batch: readonly Waiting[], row: BatchRow): void {
    const answers = decodeAnswers(row)
    const revisions = answers.flatMap(answer => ('committed' in answer ? answer.committed.revision : []))
    if (revisions.length > 0) this.options.onCommitted(Math.max(...revisions))
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index]!
      if ('conflict' in answer) reject(new ConflictError(answer.conflict))
      else resolve(answer.committed)
    }
  }

  private connect(): Promise<Connection> {
    this.session ??= this.open()
    return this.session
  }

  private async open(): Promise<Connection> {
    try {
      const connection = await this.options.connector.connect(longest, true)
      void connection.end.then(() => {
        this.session = undefined
      })
      return connection
    } catch (error) {
      this.session = undefined
      throw error
    }
  }
}
