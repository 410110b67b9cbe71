import { DeadlineError } from '@stead/engine'
import { isProviderError, type ProviderErrorCode } from '@stead/provider-kit'

/** Why something does not work, in words for whoever asked for it. */
export interface Trouble {
  readonly code: string
  readonly message: string
  /** However often it is tried, it will not work: only another spec can help. */
  readonly isHopeless: boolean
}

/** What something is made of cannot be brought here. The message is for whoever asked for it. */
export class PreparationError extends Error {
  override readonly name = 'PreparationError'
  readonly isHopeless: boolean

  constructor(message: string, { isHopeless, ...options }: ErrorOptions & { readonly isHopeless: boolean }) {
    super(message, options)
    this.isHopeless = isHopeless
  }
}

/** What a backend says about its own inside is no tenant's business: only these are passed on. */
const words: Partial<Record<ProviderErrorCode, string>> = {
  Auth: 'the region does not accept our credentials: an operator must renew them',
  Throttled: 'the region turns requests away because there are too many',
  Unavailable: 'the region does not answer',
  Internal: 'the region says that something is wrong with itself',
}

/**
 * Credentials are the operator's: whoever asked for a network cannot help it, and need not ask again once they work. What
 * is not there may come to light, or is told as lost when it is looked for.
 */
const hopeful: ReadonlySet<ProviderErrorCode> = new Set<ProviderErrorCode>(['Auth', 'NotFound'])

/** Of an error that a provider may answer with; undefined for bugs. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof DeadlineError) return { code: 'Unavailable', message: words.Unavailable!, isHopeless: false }
  if (error instanceof PreparationError)
    return { code: 'Preparing', message: error.message, isHopeless: error.isHopeless }
  if (!isProviderError(error)) return undefined
  const { code, message, retryable } = error
  return { code, message: words[code] ?? message, isHopeless: !retryable && !hopeful.has(code) }
}
