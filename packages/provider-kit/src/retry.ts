import { type Duration, millis, seconds, type World } from '@stead/world'
import { isProviderError } from './errors.ts'

export interface RetryPolicy {
  readonly attempts: number
  /** The first wait; each further one may be twice as long, up to `cap`. */
  readonly base: Duration
  readonly cap: Duration
  /** No wait begins that would end later than this after the first call. */
  readonly budget: Duration
}

export const patientRetry: RetryPolicy = { attempts: 6, base: millis(200), cap: seconds(20), budget: seconds(60) }

export interface RetryOptions {
  readonly policy?: RetryPolicy
  readonly signal?: AbortSignal | undefined
}

/**
 * Repeats a call while it fails with a retryable error. Only for calls that are safe to repeat: a create must go through
 * its token each time, because an error does not say that nothing happened.
 */
export async function retrying<T>(world: World, call: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { policy = patientRetry, signal } = options
  const end = world.monotonic() + policy.budget
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (!isProviderError(error) || !error.retryable || attempt >= policy.attempts) throw error
      const wait = Math.max(backoff(world, policy, attempt), error.retryAfter ?? 0)
      if (world.monotonic() + wait > end) throw error
      await world.sleep(millis(wait), signal)
    }
  }
}

/** Half of it fixed, half of it drawn: callers that failed together do not come back together. */
export function backoff(world: World, policy: Pick<RetryPolicy, 'base' | 'cap'>, attempt: number): Duration {
  const ceiling = Math.min(policy.cap, policy.base * 2 ** (attempt - 1))
  return millis(ceiling * (0.5 + world.random() / 2))
}
