import { ProviderError, type ProviderErrorCode } from '@stead/provider-kit'
import { seconds } from '@stead/world'

const byStatus: Readonly<Record<number, ProviderErrorCode>> = {
  400: 'InvalidConfig',
  401: 'Auth',
  403: 'Auth',
  404: 'NotFound',
  409: 'Conflict',
  429: 'Throttled',
  501: 'Unsupported',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Unavailable',
}

/** Both engines answer 500 for many things that are not their fault. What they say tells which. */
const bySaying: readonly (readonly [RegExp, ProviderErrorCode])[] = [
  [/already in use|already exists|name .* is in use|volume is in use|volume is being used/i, 'Conflict'],
  [/port is already allocated|address already in use|cannot listen on the TCP port/i, 'Conflict'],
  [/no space left|cannot allocate memory|fully subnetted|no available .*subnet/i, 'Capacity'],
  [/pool overlaps|already used on the host/i, 'Conflict'],
  [/no such (container|volume|image|network)|network .* not found|image not known/i, 'NotFound'],
  [/unauthorized|denied: |authentication required/i, 'Auth'],
]

/** What an engine refused, in the words of the contract. */
export function refusal(what: string, status: number, said: string): ProviderError {
  const code = bySaying.find(([saying]) => status >= 500 && saying.test(said))?.[1] ?? byStatus[status] ?? 'Internal'
  return new ProviderError(code, `${what}: ${said}`, code === 'Throttled' ? { retryAfter: seconds(1) } : {})
}

const isUntrusted = (code: string) => /^ERR_(SSL|TLS)|CERT|SELF_SIGNED|UNABLE_TO_/.test(code)

/** Why an engine could not be asked at all. Whoever may not open the door is told so; every other failure may pass. */
export function unreachable(what: string, error: NodeJS.ErrnoException): ProviderError {
  const code = error.code ?? ''
  const isShut = code === 'EACCES' || code === 'EPERM' || isUntrusted(code)
  return new ProviderError(isShut ? 'Auth' : 'Unavailable', `${what}: ${error.message || code}`, { cause: error })
}
