import { type ChangeSet, type CounterMetric, changeSet, type Engine, type Logger, type Metrics } from '@stead/engine'
import { millis, seconds, type Timer, type World } from '@stead/world'
import { type AuditBody, auditRecords } from './model.ts'

export interface AuditWriterOptions {
  readonly commit: Engine['commit']
  readonly world: World
  readonly log: Logger
  readonly metrics: Metrics
}

/** Gathered for one write: whoever is refused is not answered later for being written down. */
const gathering = millis(500)
const retryAfter = seconds(2)
/** In one change-set: some hundred kilobytes. */
const mostAtOnce = 500
/** Waiting while the store is away. About 10 MB. */
const mostWaiting = 10_000

/**
 * Writes entries of what changed nothing, and so has no change-set of its own: denials and reads of credentials. Off the
 * request's path, in order, each once. What does not fit while the store is away is lost, and counted.
 */
export class AuditWriter {
  readonly #options: AuditWriterOptions
  readonly #lost: CounterMetric
  #waiting: AuditBody[] = []
  /** Sent and not known to be written. Sent again under the same id, so that it is written once. */
  #sent: ChangeSet | undefined
  #timer: Timer | undefined
  #writing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: AuditWriterOptions) {
    this.#options = options
    this.#lost = options.metrics.counter('stead_audit_lost', 'Audit entries lost because the store was away too long')
  }

  write(...entries: readonly AuditBody[]): void {
    const room = mostWaiting - this.#waiting.length
    if (entries.length > room) this.#lost.add(entries.length - Math.max(0, room))
    this.#waiting.push(...entries.slice(0, Math.max(0, room)))
    if (this.#waiting.length > 0 && !this.#isClosed) this.#schedule(gathering)
  }

  /** Writes what is left, if the store lets it. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#flush()
  }

  #schedule(delay: typeof gathering): void {
    this.#timer ??= this.#options.world.setTimer(delay, () => {
      this.#timer = undefined
      void this.#flush()
    })
  }

  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    const { commit, log } = this.#options
    try {
      while (this.#sent || this.#waiting.length > 0) {
        this.#sent ??= this.#gather()
        await commit(this.#sent)
        this.#sent = undefined
      }
    } catch (error) {
      log.warn({ error, waiting: this.#waiting.length }, 'audit entries could not be written')
      if (!this.#isClosed) this.#schedule(retryAfter)
    }
  }

  #gather(): ChangeSet {
    const set = changeSet(this.#options.world)
    const entries = this.#waiting.slice(0, mostAtOnce)
    this.#waiting = this.#waiting.slice(mostAtOnce)
    for (const entry of entries) for (const record of auditRecords(entry)) set.record(record)
    return set
  }
}
