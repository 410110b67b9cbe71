import type { World } from '@stead/world'
import { OpenError, UnavailableError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import type { BatchAnswer } from './batch.ts'
import { GroupCommit } from './group-commit.ts'
import { type ReadAnswer, ReaderClient, type ReadRequest } from './reader-client.ts'
import { Thread } from './thread.ts'
import { type PackedBatch, packBatch } from './transport.ts'
import type { WriterReady, WriterStart } from './writer-thread.ts'

export interface ThreadsOptions {
  readonly world: World
  readonly start: WriterStart
  readonly onEntries: (entries: readonly LogEntry[]) => void
  /** Called once, when the store cannot go on. Everyone who waits has been told. */
  readonly onFailure: (error: Error) => void
}

const closed = () => new UnavailableError('the store is closed')

export type Opened = Extract<WriterReady, { identity: unknown }>

/** The two threads of a store and those who speak to them. */
export class SqliteThreads {
  readonly writes: GroupCommit
  readonly reads: ReaderClient
  private readonly writer: Thread<PackedBatch, WriterReady | string>
  private readonly reader: Thread<ReadRequest, ReadAnswer>
  private readonly opening = Promise.withResolvers<Opened>()
  private readonly onFailure: (error: Error) => void
  private state: 'open' | 'closed' | 'failed' = 'open'

  constructor({ world, start, onEntries, onFailure }: ThreadsOptions) {
    const { path } = start
    const onFatal = (error: Error) => this.fail(error)
    const onDeath = (error: Error) =>
      this.fail(new UnavailableError(`a thread of the store died: ${error.message}`, { cause: error }))
    this.onFailure = onFailure
    this.writer = new Thread({
      file: './writer-thread.ts',
      data: start,
      onMessage: message => this.heard(message),
      onDeath,
    })
    this.reader = new Thread({
      file: './reader-thread.ts',
      data: { path },
      onMessage: message => this.reads.answered(message),
      onDeath,
    })
    this.writes = new GroupCommit({
      world,
      path,
      post: batch => this.writer.post(packBatch(batch)),
      onEntries,
      onFatal,
    })
    this.reads = new ReaderClient({ path, post: request => this.reader.post(request), onFatal })
  }

  /** Resolves when the file is open; rejects with why it can't be. */
  opened(): Promise<Opened> {
    return this.opening.promise
  }

  private heard(message: WriterReady | string): void {
    if (typeof message === 'string') this.answered(message)
    else if ('identity' in message) this.opening.resolve(message)
    else this.opening.reject(new OpenError(message.refused, message.message))
  }

  private answered(answer: string): void {
    try {
      this.writes.answered(JSON.parse(answer) as BatchAnswer)
    } catch (error) {
      // Committed, and then not understood: what this process believes may differ from what is on disk.
      this.fail(error as Error)
    }
  }

  fail(error: Error): void {
    this.opening.reject(error)
    if (this.state !== 'open') return
    this.state = 'failed'
    this.writes.fail(error)
    this.reads.fail(error)
    void this.kill()
    this.onFailure(error)
  }

  /** Takes no more writes, and finishes those it took. */
  async drain(): Promise<void> {
    await this.writes.drain(closed())
  }

  /** Finishes the reads, then ends both threads: the reader first, so that the writer closes the file last. */
  async close(): Promise<void> {
    this.reads.stop(closed())
    if (this.state !== 'open') return
    this.state = 'closed'
    await this.reader.close()
    this.reads.fail(closed())
    await this.writer.close()
  }

  async kill(): Promise<void> {
    await Promise.all([this.reader.kill(), this.writer.kill()])
  }
}
