import type { EndedSpan } from '@stead/engine'
import { type Duration, millis, seconds, type Timer, type World } from '@stead/world'
import type { Logger } from 'pino'
import type { TraceMetrics } from './metrics.ts'
import { type Origin, otlpRequest } from './otlp.ts'
import { type Endpoint, type Post, postTo } from './post.ts'

export interface ExporterOptions extends Origin {
  readonly endpoint: Endpoint
  readonly world: World
  readonly log: Logger
  readonly metrics: TraceMetrics
}

/** What waits at most: at some 500 bytes each, 2 MB. What comes on top is dropped, and counted. */
const mostWaiting = 4_096
const batchSize = 512
/** How long spans may wait to travel together. */
const pause = seconds(2)
/** A collector that does not answer is asked again after this long, and then after twice as long … */
const firstRetry = seconds(1)
/** … up to this. */
const longestRetry = seconds(30)
/** What is left when the program ends is sent if the collector takes it at once. */
const lastWords = seconds(2)

/** Sends spans to a collector, many at a time. Nobody waits for it, whatever the collector does. */
export class Exporter {
  readonly #options: ExporterOptions
  readonly #post: Post
  #waiting: EndedSpan[] = []
  #timer: Timer | undefined
  #sending: Promise<void> | undefined
  #failures = 0
  #isClosed = false
  readonly #ending = new AbortController()

  constructor(options: ExporterOptions) {
    this.#options = options
    this.#post = postTo(options.endpoint, options.world)
  }

  readonly take = (span: EndedSpan): void => {
    if (this.#isClosed || this.#waiting.length >= mostWaiting) {
      this.#options.metrics.dropped.add()
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= batchSize && this.#failures === 0) this.#send()
    else this.#wait(pause)
  }

  /** Sends what is left, once. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    const { world, metrics } = this.#options
    const { signal } = this.#ending
    const timer = world.setTimer(lastWords, () => this.#ending.abort(new Error('the program ends')))
    await this.#sending
    while (this.#waiting.length > 0 && !signal.aborted && (await this.#sendBatch()));
    timer.cancel()
    metrics.failed.add(this.#waiting.length)
    this.#post.close()
  }

  #wait(delay: Duration): void {
    if (this.#sending || this.#isClosed) return
    this.#timer ??= this.#options.world.setTimer(delay, () => this.#send())
  }

  #send(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#sending ??= this.#sendBatch().then(isTaken => {
      this.#sending = undefined
      if (this.#isClosed) return
      if (!isTaken) this.#wait(this.#retryDelay())
      else if (this.#waiting.length >= batchSize) this.#send()
      else if (this.#waiting.length > 0) this.#wait(pause)
    })
  }

  #retryDelay(): Duration {
    return millis(Math.min(longestRetry, firstRetry * 2 ** Math.min(this.#failures - 1, 10)))
  }

  /** Answers whether the collector took, or refused for good, what was sent: then the next can be. */
  async #sendBatch(): Promise<boolean> {
    const { metrics, log } = this.#options
    const batch = this.#waiting.splice(0, batchSize)
    const outcome = await this.#post.send(otlpRequest(batch, this.#options), this.#ending.signal)
    if (outcome.type === 'taken') {
      if (this.#failures > 0) log.info('traces are taken again')
      this.#failures = 0
      metrics.exported.add(batch.length)
      return true
    }
    if (outcome.type === 'refused') {
      metrics.failed.add(batch.length)
      log.warn({ problem: outcome.problem }, 'the collector refused traces')
      return true
    }
    // Said once: a collector that is away for a day is no news every half minute.
    if (this.#failures++ === 0) log.warn({ problem: outcome.problem }, 'traces are not taken; trying again')
    const kept = batch.slice(0, mostWaiting - this.#waiting.length)
    metrics.dropped.add(batch.length - kept.length)
    this.#waiting.unshift(...kept)
    return false
  }
}
