import { DeadlineError } from '@stead/engine'
import { backoff, isProviderError, ProviderError, type ProviderErrorCode } from '@stead/provider-kit'
import { type Duration, type Instant, millis, minutes, seconds, type World } from '@stead/world'
import type { ServerFailure } from './model.ts'

/** Where it failed: on the way to the region, in the launch or adoption, or in something asked of what is there. */
export type Stage = 'connect' | 'launch' | 'adopt' | 'act'

/** What a tenant may read of it. The backend's own words may name hosts and accounts: those are in the log. */
const words: Readonly<Record<ProviderErrorCode, string>> = {
  NotFound: 'something that it is made of is not in the region any more',
  Conflict: 'the region refused it: something there is in its way',
  InvalidConfig: 'the region refused it: it cannot be run as it is described',
  Capacity: 'the region has no room for it now',
  Quota: 'the region may not have more of it: its own limit is reached',
  Throttled: 'the region takes no more requests for a while',
  Auth: 'the region is not let in by its own backend: its operator has to look',
  Unavailable: 'the region does not answer',
  Unsupported: 'the region cannot do this',
  Internal: 'something failed in the region',
}
const regionIsWrong = 'the region is not set up right: its operator has to look'
const isAnothers = 'it cannot be adopted: it belongs to somebody else, or something in the region is in the way'
const cannotBeFound = 'it is not to be found in the region'

/** What the operator of the region mends; until then all that is asked of it fails alike. */
const isRegions = (code: ProviderErrorCode, stage: Stage): boolean => code === 'Auth' || stage === 'connect'

export interface Explained {
  readonly code: ProviderErrorCode
  readonly message: string
  readonly retrying: boolean
  readonly retryAfter: Duration | undefined
}

/** What an error means for a server; undefined for what is no failure of the backend. */
export function explain(error: unknown, stage: Stage): Explained | undefined {
  if (error instanceof DeadlineError) return explain(new ProviderError('Unavailable', error.message), stage)
  if (!isProviderError(error)) return undefined
  const { code, retryable, retryAfter } = error
  const region = isRegions(code, stage)
  return { code, message: messageOf(error, stage), retrying: retryable || region || isStale(code, stage), retryAfter }
}

/** What we saw of it may be older than what it is now: then it is in another state than we thought, or gone. Both are seen soon. */
const isStale = (code: ProviderErrorCode, stage: Stage): boolean =>
  stage === 'act' && (code === 'Conflict' || code === 'NotFound')

function messageOf({ code, retryable }: ProviderError, stage: Stage): string {
  if (stage === 'connect' && code !== 'Auth' && !retryable) return regionIsWrong
  if (stage === 'adopt' && code === 'Conflict') return isAnothers
  return stage === 'act' && code === 'NotFound' ? cannotBeFound : words[code]
}

/** Those that mostly pass by themselves are told only when they last. */
const passing: ReadonlySet<ProviderErrorCode> = new Set(['Throttled', 'Unavailable', 'Internal'])

/** Whether the nth failure in a row is worth a word. */
export const isWorthTelling = (code: ProviderErrorCode, failures: number): boolean => failures > 1 || !passing.has(code)

/** The same failure if nothing is new about it. */
export function failureAfter(
  before: ServerFailure | undefined,
  { code, message, retrying }: Explained,
  now: Instant,
): ServerFailure {
  if (before?.code === code && before.message === message && before.retrying === retrying) return before
  return { code, message, retrying, since: now }
}

/**
 * Not sooner than after a second: what was not answered may still happen, and must not come after what is asked for next.
 */
const usualPace = { base: seconds(2), cap: minutes(1) }
/** Room and limits change in minutes, and so do credentials: asking sooner only costs. */
const slowPace = { base: seconds(10), cap: minutes(5) }
const slow: ReadonlySet<ProviderErrorCode> = new Set(['Capacity', 'Quota', 'Auth', 'InvalidConfig', 'Unsupported'])

/** How often each server has failed in a row, and how long it waits therefore. In memory: a restart costs one call each. */
export class Patience {
  readonly #failures = new Map<string, number>()

  /** One more; answers how many that makes. */
  fail(id: string): number {
    const failures = (this.#failures.get(id) ?? 0) + 1
    this.#failures.set(id, failures)
    return failures
  }

  forget(id: string): void {
    this.#failures.delete(id)
  }

  /** Never sooner than the backend said. */
  pause(world: World, { code, retryAfter }: Explained, failures: number): Duration {
    const usual = backoff(world, slow.has(code) ? slowPace : usualPace, failures)
    return millis(Math.max(usual, retryAfter ?? 0))
  }
}
