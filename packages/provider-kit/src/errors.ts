import type { Duration } from '@stead/world'

/** Why a provider call failed, in words every provider shares. */
export const providerErrorCodes = {
  NotFound: { retryable: false },
  Conflict: { retryable: false },
  InvalidConfig: { retryable: false },
  Capacity: { retryable: true },
  Quota: { retryable: true },
  Throttled: { retryable: true },
  Auth: { retryable: false },
  Unavailable: { retryable: true },
  Unsupported: { retryable: false },
  Internal: { retryable: true },
} as const

export type ProviderErrorCode = keyof typeof providerErrorCodes

export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode
  readonly retryable: boolean
  /** When the backend said how long to wait. */
  readonly retryAfter: Duration | undefined

  constructor(code: ProviderErrorCode, message: string, options: { retryAfter?: Duration; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.retryable = providerErrorCodes[code].retryable
    this.retryAfter = options.retryAfter
  }
}
