import type { Duration } from '@stead/world'

/** Why a provider call failed, in words every provider shares. */
export const providerErrorCodes = {
  /** There is no such object. Of one we once saw, this means that it is gone. */
  NotFound: { retryable: false },
  /** What is there contradicts what is asked: a token reused for something else, not ours, not in this state, in use. */
  Conflict: { retryable: false },
  InvalidConfig: { retryable: false },
  /** The backend has no room for it now. */
  Capacity: { retryable: true },
  /** The account may not have more of it. */
  Quota: { retryable: true },
  Throttled: { retryable: true },
  Auth: { retryable: false },
  /** The backend could not be reached or did not answer. It may have done what was asked. */
  Unavailable: { retryable: true },
  /** This provider cannot do it at all. Nothing was started. */
  Unsupported: { retryable: false },
  Internal: { retryable: true },
} as const

export type ProviderErrorCode = keyof typeof providerErrorCodes

export interface ProviderErrorOptions {
  readonly retryAfter?: Duration
  readonly cause?: unknown
}

export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode
  readonly retryable: boolean
  /** When the backend said how long to wait. */
  readonly retryAfter: Duration | undefined

  constructor(code: ProviderErrorCode, message: string, options: ProviderErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    // Whoever says when to come back says that it will pass: a Conflict with a server that is still stopping, for one.
    this.retryable = providerErrorCodes[code].retryable || options.retryAfter !== undefined
    this.retryAfter = options.retryAfter
  }
}

/** Whether this is a provider's error, of one of these codes when some are named. */
export const isProviderError = (error: unknown, ...codes: ProviderErrorCode[]): error is ProviderError =>
  error instanceof ProviderError && (codes.length === 0 || codes.includes(error.code))
