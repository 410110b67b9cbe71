import { type Duration, millis } from '@stead/world'
import type { Revision } from '../words/object.ts'

/**
 * How long ago the cache was last known to hold everything that had been committed by then.
 *
 * Under load the head is always a little ahead when one looks, so "is it at the head?" would never be true. Instead the
 * head is marked with the time, and once the cache has passed the mark it is known to be current as of that time.
 */
export class Currency {
  private asOf: Duration
  private mark: { readonly head: Revision; readonly at: Duration } | undefined

  constructor(now: Duration) {
    this.asOf = now
  }

  /** The cache is at `revision`, and the store's head was known to be at `head` at this time. */
  observe(revision: Revision, head: Revision, at: Duration): void {
    if (this.mark && revision >= this.mark.head) {
      this.asOf = this.mark.at
      this.mark = undefined
    }
    if (revision >= head) this.asOf = at
    else this.mark ??= { head, at }
  }

  lag(now: Duration): Duration {
    return millis(now - this.asOf)
  }
}
