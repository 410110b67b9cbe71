import { GoneError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import type { Revision } from '../words/object.ts'
import { Watcher } from './watcher.ts'

/** A stretch of the log read back from the database, oldest first, and the compaction point seen by the same read. */
export interface LogPage {
  readonly entries: readonly LogEntry[]
  readonly compacted: Revision
}

export interface LogTailOptions {
  /** The newest revision when the tail starts. */
  readonly head: Revision
  readonly compacted: Revision
  /** Reads what the tail no longer remembers: at most `limit` entries after `after`. */
  readonly readLog: (after: Revision, limit: number) => Promise<LogPage>
  /** How many changes are remembered: what a watcher may lag behind before it costs a read. */
  readonly capacity?: number
}

/** A page of the log is about this many KB: large enough to catch up quickly, small enough to hold for each slow watcher. */
const pageSize = 256

/**
 * The end of the log in memory, and everyone who follows it.
 * A watcher holds nothing but a position: a slow one costs no memory and delays nobody. Whoever waits is woken in the
 * turn an entry is appended; whoever lags is served from memory while it reaches, and from the database before that.
 */
export class LogTail {
  private readonly readLog: LogTailOptions['readLog']
  private readonly capacity: number
  private readonly waiting = new Set<Watcher>()
  /** Revisions from `head - recent.length + 1` to `head`, without holes. */
  private recent: LogEntry[] = []
  private weight = 0
  private latest: readonly LogEntry[] = []
  private newest: Revision
  private compactedTo: Revision
  private ending: { readonly error?: Error } | undefined

  constructor({ head, compacted, readLog, capacity = 1_024 }: LogTailOptions) {
    this.newest = head
    this.compactedTo = compacted
    this.readLog = readLog
    this.capacity = capacity
  }

  get head(): Revision {
    return this.newest
  }

  get compacted(): Revision {
    return this.compactedTo
  }

  /** How many watchers wait for the next entry. */
  get waiters(): number {
    return this.waiting.size
  }

  /** Adds what was just committed. A hole or a repeat is a bug that would reach every watcher, so it stops here. */
  append(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return
    checkContiguous(this.newest, entries)
    for (const entry of entries) {
      this.recent.push(entry)
      this.weight += entry.changes.length
    }
    this.newest += entries.length
    this.latest = entries
    this.forgetOldest()
    this.wake()
  }

  /** The log up to here is gone. Past the head, on a node that fell that far behind, the tail starts anew from there. */
  compactedThrough(revision: Revision): void {
    if (revision <= this.compactedTo) return
    this.compactedTo = revision
    if (revision <= this.newest) return
    this.newest = revision
    this.recent = []
    this.weight = 0
    this.latest = []
    this.wake()
  }

  /** Ends every watch: quietly, after what memory still holds for it, or at once with the reason the store failed. */
  close(error?: Error): void {
    this.ending ??= error ? { error } : {}
    this.wake()
  }

  /** Follows the log from `after`; ends when the signal is aborted or the store closes. */
  watch(after: Revision, signal: AbortSignal): AsyncIterable<readonly LogEntry[]> {
    if (!Number.isSafeInteger(after) || after < 0) throw new RangeError(`${after} is not a revision`)
    const source = {
      after: (position: Revision) => this.after(position),
      read: (position: Revision) => this.read(position),
      wait: (watcher: Watcher) => this.waiting.add(watcher),
      leave: (watcher: Watcher) => this.waiting.delete(watcher),
    }
    return { [Symbol.asyncIterator]: () => new Watcher(source, after, signal) }
  }

  private after(position: Revision): readonly LogEntry[] | 'none' | 'forgotten' | 'closed' {
    if (this.ending?.error) throw this.ending.error
    if (position < this.compactedTo) throw new GoneError(position, this.compactedTo)
    const missing = this.newest - position
    if (missing <= 0) return this.ending ? 'closed' : 'none'
    // Nearly every watcher is up to date and shares one array with all the others.
    if (missing === this.latest.length) return this.latest
    if (missing <= this.recent.length) return this.recent.slice(-missing)
    return this.ending ? 'closed' : 'forgotten'
  }

  private async read(position: Revision): Promise<readonly LogEntry[]> {
    const page = await this.readLog(position, pageSize).catch(error => {
      // A store that closes takes its reads with it.
      if (this.ending) return undefined
      throw error
    })
    if (!page) return []
    const { entries, compacted } = page
    this.compactedThrough(compacted)
    if (position < this.compactedTo) throw new GoneError(position, this.compactedTo)
    if (entries.length === 0) throw new Error(`the log has a hole: nothing after revision ${position}`)
    checkContiguous(position, entries)
    return entries
  }

  private wake(): void {
    const woken = [...this.waiting]
    this.waiting.clear()
    for (const watcher of woken) watcher.advance()
  }

  /** Twice the capacity may gather before the older half goes, so that forgetting costs nothing per entry. */
  private forgetOldest(): void {
    if (this.weight <= 2 * this.capacity) return
    let kept = 0
    let from = this.recent.length
    while (from > 0 && kept + this.recent[from - 1]!.changes.length <= this.capacity)
      kept += this.recent[--from]!.changes.length
    this.recent = this.recent.slice(from)
    this.weight = kept
  }
}

function checkContiguous(after: Revision, entries: readonly LogEntry[]): void {
  let expected = after
  for (const { revision } of entries)
    if (revision !== ++expected) throw new Error(`the log has a hole: revision ${revision} where ${expected} belongs`)
}
