import { isProviderError, type LogLine } from '@stead/provider-kit'
import { type Duration, millis, seconds, type Timer, type World } from '@stead/world'
import { Gathering, LogBatch } from './lines.ts'

export interface SharedLogOptions {
  readonly world: World
  /** Of the server that prints. */
  readonly server: string
  /** What the server prints from a place on, or from its first line, until it is gone. */
  readonly read: (after: string | undefined, signal: AbortSignal) => AsyncIterable<LogLine>
  /** Where it begins. */
  readonly after: string | undefined
}

/** Why following ended: the server is gone, or what the reader has last seen is not here: it reads for itself up to here. */
export type FollowEnd = { readonly type: 'over' } | { readonly type: 'elsewhere' }

/** Kept for readers that fall behind for a moment: two seconds of a very busy log. */
const mostKept = 2_048
const mostKeptBytes = 1_048_576
/** Lines of this long go out together: each reader is then woken once for all of them. */
const gathering: Duration = millis(20)
/** A backend that does not answer for so long is given up: readers come back when they like. */
const patience: Duration = seconds(30)
const firstPause: Duration = millis(100)
const longestPause: Duration = seconds(5)
/** How long a reader waits for a line that it has seen elsewhere, before it goes and reads for itself again. */
const meeting: Duration = millis(500)

/** A reader that waits, again and again. Listening to its signal once, and not each time, is half of what a wait costs. */
class Waiter {
  readonly signal: AbortSignal
  #resolve: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.signal = signal
    signal.addEventListener('abort', this.wake)
  }

  readonly wake = (): void => this.#resolve?.()

  woken(): Promise<void> {
    return new Promise(resolve => {
      this.#resolve = resolve
    })
  }

  close(): void {
    this.signal.removeEventListener('abort', this.wake)
  }
}

/**
 * The end of what one server prints, read once for all who follow it. Readers pull: one that is slow holds nobody up, and
 * one that falls too far behind is sent away to read for itself until it is back.
 */
export class SharedLog {
  readonly #options: SharedLogOptions
  readonly #stop = new AbortController()
  #lines: LogLine[] = []
  #bytes = 0
  /** The number of the first line that is kept; lines are numbered as they come. */
  #first = 0
  /** Lines before this number are told of. */
  #told = 0
  /** Readers that have read everything. */
  readonly #waiting = new Set<Waiter>()
  #timer: Timer | undefined
  #toldAt: Duration = millis(Number.NEGATIVE_INFINITY)
  #end: { readonly error: unknown } | undefined
  #latest: { readonly from: number; readonly to: number; readonly batch: LogBatch } | undefined

  constructor(options: SharedLogOptions) {
    this.#options = options
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

  /** What comes after a line that was seen; from the very first on when none was. */
  async *follow(seen: string | undefined, signal: AbortSignal): AsyncGenerator<LogBatch, FollowEnd> {
    const waiter = new Waiter(signal)
    try {
      let position = await this.#meet(seen, waiter)
      for (;;) {
        if (position === undefined || position < this.#first) return { type: 'elsewhere' }
        if (position < this.#told) {
          const batch = this.#batch(position)
          position += batch.lines.length
          yield batch
        } else if (!this.#end) await this.#wait(waiter)
        else if (this.#end.error === undefined) return { type: 'over' }
        else throw this.#end.error
      }
    } finally {
      waiter.close()
    }
  }

  /** The number after that of a line, once it is here. */
  async #meet(seen: string | undefined, waiter: Waiter): Promise<number | undefined> {
    const { after, world } = this.#options
    if (seen === after && this.#first === 0) return 0
    if (seen === undefined) return undefined
    let isLate = false
    const timer = world.setTimer(meeting, () => {
      isLate = true
      this.#tell()
    })
    try {
      for (let from = this.#first; ; from = this.#told) {
        for (let number = this.#told - 1; number >= Math.max(from, this.#first); number--)
          if (this.#lines[number - this.#first]!.cursor === seen) return number + 1
        if (isLate || this.#end) return undefined
        await this.#wait(waiter)
      }
    } finally {
      timer.cancel()
    }
  }

  /** Until there may be more, or the reader has left. */
  async #wait(waiter: Waiter): Promise<void> {
    waiter.signal.throwIfAborted()
    this.#waiting.add(waiter)
    await waiter.woken()
    this.#waiting.delete(waiter)
    waiter.signal.throwIfAborted()
  }

  /** From a number on, as much as travels together. Most readers are at the same place, and share it. */
  #batch(from: number): LogBatch {
    const to = this.#told
    if (this.#latest?.from === from && this.#latest.to === to) return this.#latest.batch
    const gathered = new Gathering()
    for (let number = from; number < to; number++) if (gathered.add(this.#lines[number - this.#first]!)) break
    const batch = new LogBatch(this.#options.server, gathered.take())
    this.#latest = { from, to, batch }
    return batch
  }

  async #read(): Promise<void> {
    const { read, world } = this.#options
    const { signal } = this.#stop
    let { after } = this.#options
    let failingSince: Duration | undefined
    for (let pause = firstPause; ; pause = millis(Math.min(longestPause, pause * 2))) {
      try {
        for await (const line of read(after, signal)) {
          after = line.cursor
          failingSince = undefined
          pause = firstPause
          this.#take(line)
        }
        return this.#finish(undefined)
      } catch (error) {
        if (signal.aborted) return
        if (isProviderError(error, 'NotFound')) return this.#finish(undefined)
        failingSince ??= world.monotonic()
        const isHopeless = !isProviderError(error) || world.monotonic() - failingSince >= patience
        if (isHopeless) return this.#finish(error)
      }
      await world.sleep(pause, signal).catch(() => {})
    }
  }

  #take(line: LogLine): void {
    this.#lines.push(line)
    this.#bytes += line.line.length
    const { world } = this.#options
    this.#timer ??= world.setTimer(
      millis(Math.max(0, Math.min(gathering, this.#toldAt + gathering - world.monotonic()))),
      () => this.#tell(),
    )
  }

  /** Tells everybody, and lets go of what is old. Who has not read it by now reads it for themselves. */
  #tell(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#toldAt = this.#options.world.monotonic()
    this.#told = this.#first + this.#lines.length
    let drop = 0
    for (; this.#lines.length - drop > mostKept || this.#bytes > mostKeptBytes; drop++)
      this.#bytes -= this.#lines[drop]!.line.length
    this.#lines = drop === 0 ? this.#lines : this.#lines.slice(drop)
    this.#first += drop
    for (const waiter of this.#waiting) waiter.wake()
  }

  #finish(error: unknown): void {
    this.#end = { error }
    this.#tell()
  }
}
