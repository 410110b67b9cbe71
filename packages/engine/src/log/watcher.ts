import type { LogEntry } from '../words/log.ts'
import type { Revision } from '../words/object.ts'

/** What a watcher needs of the tail it follows. */
export interface WatchSource {
  /** What memory holds after this position. Throws when the position is gone or the store has failed. */
  after(position: Revision): readonly LogEntry[] | 'none' | 'forgotten' | 'closed'
  /** The next entries after this position, from the database. None once the tail has ended. */
  read(position: Revision): Promise<readonly LogEntry[]>
  /** `advance` will be called once, when there may be something new. */
  wait(watcher: Watcher): void
  leave(watcher: Watcher): void
}

type Batch = readonly LogEntry[]
type Step = IteratorResult<Batch, undefined>
const end: Step = { done: true, value: undefined }

/**
 * One iteration over the log. Written by hand and not as an async generator: a wake-up is then one resolved promise,
 * which is what lets a thousand watchers be woken within a millisecond; and `return` works while `next` is waiting.
 */
export class Watcher implements AsyncIterator<Batch, undefined> {
  private readonly source: WatchSource
  private readonly signal: AbortSignal
  private position: Revision
  private asked: PromiseWithResolvers<Step> | undefined
  private state: 'new' | 'open' | 'reading' | 'ended' = 'new'

  constructor(source: WatchSource, after: Revision, signal: AbortSignal) {
    this.source = source
    this.position = after
    this.signal = signal
  }

  next(): Promise<Step> {
    if (this.asked) return Promise.reject(new Error('a watch was asked for its next batch before it gave the last one'))
    if (this.state === 'ended' || this.signal.aborted) {
      this.finish()
      return Promise.resolve(end)
    }
    if (this.state === 'new') {
      this.state = 'open'
      this.signal.addEventListener('abort', this.finish, { once: true })
    }
    const asked = Promise.withResolvers<Step>()
    this.asked = asked
    this.advance()
    return asked.promise
  }

  return(): Promise<Step> {
    this.finish()
    return Promise.resolve(end)
  }

  /** Gives what there is, or waits for it. */
  advance(): void {
    if (!this.asked || this.state !== 'open') return
    try {
      const found = this.source.after(this.position)
      if (found === 'none') this.source.wait(this)
      else if (found === 'closed') this.finish()
      else if (found === 'forgotten') void this.readBack()
      else this.give(found)
    } catch (error) {
      this.fail(error)
    }
  }

  private async readBack(): Promise<void> {
    this.state = 'reading'
    try {
      const batch = await this.source.read(this.position)
      if (!this.isReading()) return
      this.state = 'open'
      if (batch.length > 0) this.give(batch)
      else this.advance()
    } catch (error) {
      if (this.isReading()) this.fail(error)
    }
  }

  /** It may have been ended while a read was under way. */
  private isReading(): boolean {
    return this.state === 'reading'
  }

  private give(batch: Batch): void {
    this.position += batch.length
    this.settle()?.resolve({ done: false, value: batch })
  }

  private fail(error: unknown): void {
    const asked = this.settle()
    this.finish()
    asked?.reject(error)
  }

  private readonly finish = (): void => {
    this.state = 'ended'
    this.source.leave(this)
    this.signal.removeEventListener('abort', this.finish)
    this.settle()?.resolve(end)
  }

  private settle(): PromiseWithResolvers<Step> | undefined {
    const { asked } = this
    this.asked = undefined
    return asked
  }
}
