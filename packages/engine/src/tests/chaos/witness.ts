import { setTimeout as sleep } from 'node:timers/promises'
import { GoneError, UnavailableError } from '../../words/errors.ts'
import { type Revision, refKey, type StoredObject } from '../../words/object.ts'
import type { Store } from '../../words/store.ts'

/** Follows the log from the beginning and keeps what it says: it must miss nothing, and see nothing twice. */
export class Witness {
  readonly violations: string[] = []
  readonly objects = new Map<string, StoredObject>()
  revision: Revision = 0
  private readonly stopping = new AbortController()
  private readonly running: Promise<void>

  constructor(store: Store) {
    this.running = this.run(store)
  }

  private async run(store: Store): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted)
      try {
        for await (const entries of store.watch(this.revision, signal))
          for (const { revision, changes } of entries) {
            if (revision !== this.revision + 1)
              this.violations.push(`the log went from ${this.revision} to ${revision}`)
            this.revision = revision
            for (const { op, object } of changes) {
              if (op === 'put') this.objects.set(refKey(object), object)
              else this.objects.delete(refKey(object))
            }
          }
      } catch (error) {
        if (error instanceof GoneError) this.violations.push(error.message)
        if (!(error instanceof UnavailableError)) throw error
        await sleep(50)
      }
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }
}
