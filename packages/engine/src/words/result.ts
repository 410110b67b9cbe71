import type { Duration } from '@stead/world'

/** The four endings of a reconcile. There is no fifth: a throw is a `retry`. */
export type Result =
  | { readonly type: 'done' }
  | { readonly type: 'again'; readonly after: Duration; readonly reason: string }
  | { readonly type: 'retry'; readonly error: unknown }
  | { readonly type: 'park'; readonly reason: string; readonly message: string }

/** What is wanted and what is agree. Woken again by the next change. */
export const done: Result = { type: 'done' }
/** Nothing is wrong; look again after this long. Not a backoff. */
export const again = (after: Duration, reason: string): Result => ({ type: 'again', after, reason })
/** Something failed that may work later: exponential backoff with jitter. */
export const retry = (error: unknown): Result => ({ type: 'retry', error })
/** Only the user or a change can help. Shown as condition `Parked`; no timer runs. */
export const park = (reason: string, message: string): Result => ({ type: 'park', reason, message })
