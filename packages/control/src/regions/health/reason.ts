import { DeadlineError } from '@stead/engine'
import { isProviderError, type ProviderErrorCode } from '@stead/provider-kit'

/** Why a region does not work, in words for whoever uses it. What the backend itself says may name its insides: it is for the log. */
const reasons: Readonly<Partial<Record<ProviderErrorCode, string>>> = {
  Auth: 'the backend does not accept the credentials of this region',
  InvalidConfig: 'the configuration of this region does not fit its backend',
  Unsupported: 'this installation has no provider for this region',
  Unavailable: 'the backend does not answer',
  Throttled: 'the backend takes no more requests for now',
}

export const codeOf = (error: unknown): ProviderErrorCode => {
  if (error instanceof DeadlineError) return 'Unavailable'
  return isProviderError(error) ? error.code : 'Internal'
}

export const reasonFor = (code: ProviderErrorCode): string => reasons[code] ?? 'the backend answers with errors'
