import { type Duration, millis, type VirtualNode } from '@stead/world'
import type { LogPage, LogTail } from '../log/tail.ts'
import { UnavailableError } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import type { EngineFault } from './engine-faults.ts'
import type { Faults } from './faults.ts'

export interface LogFollowerOptions {
  readonly node: VirtualNode
  readonly faults: Faults<EngineFault>
  readonly tail: LogTail
  readonly readLog: (after: Revision, limit: number) => Promise<LogPage>
}

/** How long a node goes without asking when no hint reaches it. */
const pollInterval = 2_000
const pageSize = 100

/** Keeps a node's tail of the log up with the database: asks when it is told to, and from time to time anyway. */
export class LogFollower {
  readonly #options: LogFollowerOptions
  #hinted = false
  #wake: (() => void) | undefined
  #closed = false
  #asOf: Duration

  constructor(options: LogFollowerOptions) {
    this.#options = options
    this.#asOf = options.node.monotonic()
  }

  /** When the tail was last known to hold all of the log. */
  get asOf(): Duration {
    return this.#asOf
  }

  /** The log has grown. */
  hint(): void {
    this.#hinted = true
    this.#wake?.()
  }

  close(): void {
    this.#closed = true
    this.hint()
  }

  async follow(): Promise<void> {
    const { node, faults } = this.#options
    while (!this.#closed) {
      if (faults.strikes('log-reading-delayed'))
        await node.sleep(millis(faults.between('log-reading-delayed', 500, 25_000)))
      this.#hinted = false
      const more = await this.#readOn().catch(error => {
        if (error instanceof UnavailableError) return false
        throw error
      })
      if (!more) await this.#rest()
    }
  }

  async #readOn(): Promise<boolean> {
    const { node, tail, readLog } = this.#options
    const askedAt = node.monotonic()
    const { entries, compacted } = await readLog(tail.head, pageSize)
    tail.compactedThrough(compacted)
    tail.append(entries)
    const more = entries.length === pageSize
    if (!more) this.#asOf = askedAt
    return more
  }

  #rest(): Promise<void> {
    if (this.#hinted) return Promise.resolve()
    return new Promise(resolve => {
      const timer = this.#options.node.setTimer(millis(pollInterval), () => this.#wake?.())
      this.#wake = () => {
        timer.cancel()
        this.#wake = undefined
        resolve()
      }
    })
  }
}
