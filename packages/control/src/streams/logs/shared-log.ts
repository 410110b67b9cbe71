import type { LoopBudget } from '@stead/engine'
import type { LogLine } from '@stead/provider-kit'
import { type Duration, millis, type Timer, type World } from '@stead/world'
import { Gathering, LogBatch } from './lines.ts'
import { LiveReaders, type Progress } from './live-readers.ts'
import { readOn } from './read-on.ts'
import { give, type LineSink } from './sink.ts'

export interface SharedLogOptions {
  readonly world: World
  /** How much of the event loop all logs together may take at a time. */
  readonly budget: LoopBudget
  /** Of the server that prints. */
  readonly server: string
  /** What the server prints from a place on, or from its first line, until it is gone. */
  readonly read: (after: string | undefined, signal: AbortSignal) => AsyncIterable<LogLine>
  /** Where it begins. */
  readonly after: string | undefined
  /** Lines of this long go out together. */
  readonly gathering: () => Duration
}

/** Why following ended: the server is gone, or what the reader has last seen is not here: it reads for itself up to here. */
export type FollowEnd = { readonly type: 'over' } | { readonly type: 'elsewhere'; readonly seen: string | undefined }

/** Kept for readers that fall behind for a moment: two seconds of a very busy log. */
const mostKept = 2_048
const mostKeptBytes = 1_048_576
/** How long a reader waits for a line that it has seen elsewhere, before it goes and reads for itself again. */
const meeting: Duration = millis(500)

/**
 * The end of what one server prints, read once for all who follow it. Readers that have everything are sent what comes,
 * all of them the same bytes. One that has no room for more takes the rest at its own pace, and holds nobody up; one that
 * falls too far behind is sent away to read for itself until it is back.
 */
export class SharedLog {
  readonly #options: SharedLogOptions
  readonly #stop = new AbortController()
  /** What has come and is not told of. */
  readonly #gathered = new Gathering()
  /** The last of what was told. */
  readonly #lines: LogLine[] = []
  #bytes = 0
  /** The number of the first line that is kept; lines are numbered as they are told. */
  #first = 0
  readonly #live: LiveReaders
  /** Woken whenever something is told. */
  readonly #waiting = new Set<() => void>()
  #timer: Timer | undefined
  #toldAt: Duration = millis(Number.NEGATIVE_INFINITY)
  #end: { readonly error: unknown } | undefined
  #latest: { readonly from: number; readonly batch: LogBatch } | undefined

  constructor(options: SharedLogOptions) {
    this.#options = options
    this.#live = new LiveReaders(options.budget)
    void this.#read()
  }

  /** Whether nothing comes any more. */
  get isOver(): boolean {
    return this.#end !== undefined
  }

  close(): void {
    this.#stop.abort()
    this.#timer?.cancel()
  }

  /** Sends what comes after a line that was seen; from the very first on when none was. */
  async follow(seen: string | undefined, sink: LineSink, signal: AbortSignal): Promise<FollowEnd> {
    let reached = await this.#meet(seen, signal)
    for (;;) {
      if (!reached) return { type: 'elsewhere', seen }
      if (reached.position < this.#first) return { type: 'elsewhere', seen: reached.seen }
      if (reached.position < this.#told) {
        const batch = this.#batch(reached.position)
        reached = { position: reached.position + batch.lines.length, seen: batch.last }
        await give(sink, batch, signal)
      } else if (!this.#end) {
        reached = await this.#live.add(sink, reached, signal)
        await sink.room()
        signal.throwIfAborted()
      } else if (this.#end.error === undefined) return { type: 'over' }
      else throw this.#end.error
    }
  }

  /** Lines before this number are told of. */
  get #told(): number {
    return this.#first + this.#lines.length
  }

  /** The place after a line, once that is here. */
  async #meet(seen: string | undefined, signal: AbortSignal): Promise<Progress | undefined> {
    const { after, world } = this.#options
    if (seen === after && this.#first === 0) return { position: 0, seen }
    if (seen === undefined) return undefined
    const late = new AbortController()
    const timer = world.setTimer(meeting, () => late.abort())
    const until = AbortSignal.any([signal, late.signal])
    try {
      for (let from = this.#first; ; ) {
        for (let number = this.#told - 1; number >= Math.max(from, this.#first); number--)
          if (this.#lines[number - this.#first]!.cursor === seen) return { position: number + 1, seen }
        signal.throwIfAborted()
        if (late.signal.aborted || this.#end) return undefined
        from = this.#told
        await this.#more(until)
      }
    } finally {
      timer.cancel()
    }
  }

  /** Until something is told, or the signal is. */
  async #more(until: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    this.#waiting.add(wake)
    until.addEventListener('abort', wake)
    await promise
    this.#waiting.delete(wake)
    until.removeEventListener('abort', wake)
  }

  /** From a number on, as much as travels together. Those who fell behind for a moment are at the same place, and share it. */
  #batch(from: number): LogBatch {
    if (this.#latest?.from === from) return this.#latest.batch
    const gathered = new Gathering()
    for (let number = from; number < this.#told && !gathered.isFull; number++)
      gathered.add(this.#lines[number - this.#first]!)
    return new LogBatch(this.#options.server, gathered.take())
  }

  async #read(): Promise<void> {
    const { read, world, after } = this.#options
    const { signal } = this.#stop
    try {
      for await (const line of readOn({ world, read, after, signal })) {
        this.#gathered.add(line)
        if (!this.#gathered.isFull) this.#tellSoon()
        else {
          // What all are told first waits for the event loop, and for nobody's connection.
          await this.#live.told()
          this.#tell()
        }
      }
      await this.#finish(undefined)
    } catch (error) {
      if (!signal.aborted) await this.#finish(error)
    }
  }

  #tellSoon(): void {
    const { world, gathering } = this.#options
    if (this.#timer || this.#live.isBusy) return
    const rest = Math.max(0, this.#toldAt + gathering() - world.monotonic())
    this.#timer = world.setTimer(millis(rest), () => this.#tell())
  }

  /** Tells everybody, and lets go of what is old. Who has not read it by now reads it for themselves. */
  #tell(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#gathered.isEmpty) return
    this.#toldAt = this.#options.world.monotonic()
    const from = this.#told
    const batch = new LogBatch(this.#options.server, this.#gathered.take())
    this.#latest = { from, batch }
    this.#keep(batch.lines)
    for (const wake of this.#waiting) wake()
    this.#live.tell(batch, this.#told, () => {
      if (!this.#gathered.isEmpty) this.#tellSoon()
    })
  }

  #keep(lines: readonly LogLine[]): void {
    const kept = this.#lines
    kept.push(...lines)
    for (const { line } of lines) this.#bytes += line.length
    let drop = 0
    for (; kept.length - drop > mostKept || this.#bytes > mostKeptBytes; drop++) this.#bytes -= kept[drop]!.line.length
    kept.splice(0, drop)
    this.#first += drop
  }

  async #finish(error: unknown): Promise<void> {
    await this.#live.told()
    this.#tell()
    await this.#live.told()
    this.#end = { error }
    this.#live.release()
    for (const wake of this.#waiting) wake()
  }
}
