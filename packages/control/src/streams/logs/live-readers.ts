import type { LoopBudget } from '@stead/engine'
import type { LogBatch } from './lines.ts'
import type { LineSink } from './sink.ts'

/** How far a reader has come. */
export interface Progress {
  /** The number of the line that it is to be sent next. */
  readonly position: number
  /** The provider's word for where the line before that is. */
  readonly seen: string | undefined
}

interface LiveReader {
  readonly sink: LineSink
  progress: Progress
  /** It is one no more: it has no room, or nothing comes any more. */
  readonly leave: () => void
  readonly fail: (error: unknown) => void
}

/** Those who have everything that was told: each is sent what comes, at once, without being waited for. */
export class LiveReaders {
  readonly #budget: LoopBudget
  readonly #readers = new Set<LiveReader>()
  #telling: PromiseWithResolvers<void> | undefined

  constructor(budget: LoopBudget) {
    this.#budget = budget
  }

  /** Whether some are still to be sent what was told last. */
  get isBusy(): boolean {
    return this.#telling !== undefined
  }

  /** Resolves when all were sent what was told last. */
  async told(): Promise<void> {
    await this.#telling?.promise
  }

  /** Resolves with how far it has come, once it has no room for more or nothing comes any more. */
  add(sink: LineSink, progress: Progress, signal: AbortSignal): Promise<Progress> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const remove = () => {
        this.#readers.delete(reader)
        signal.removeEventListener('abort', abort)
      }
      const fail = (error: unknown) => {
        remove()
        reject(error)
      }
      const leave = () => {
        remove()
        resolve(reader.progress)
      }
      const reader: LiveReader = { sink, progress, leave, fail }
      const abort = () => fail(signal.reason)
      signal.addEventListener('abort', abort)
      this.#readers.add(reader)
    })
  }

  /** Sends lines to all, and calls `done` when all have been sent them. Whoever is added meanwhile has them already. */
  tell(batch: LogBatch, position: number, done: () => void): void {
    const progress = { position, seen: batch.last }
    const readers = [...this.#readers]
    const telling = Promise.withResolvers<void>()
    this.#telling = telling
    let next = 0
    const go = () => {
      for (; next < readers.length; next++) {
        if (!this.#budget.hasTime(go)) return
        this.#send(readers[next]!, batch, progress)
      }
      this.#telling = undefined
      telling.resolve()
      done()
    }
    go()
  }

  /** Nothing comes any more. */
  release(): void {
    for (const { leave } of this.#readers) leave()
  }

  #send(reader: LiveReader, batch: LogBatch, progress: Progress): void {
    // It left since.
    if (!this.#readers.has(reader)) return
    reader.progress = progress
    try {
      if (!reader.sink.take(batch)) reader.leave()
    } catch (error) {
      reader.fail(error)
    }
  }
}
