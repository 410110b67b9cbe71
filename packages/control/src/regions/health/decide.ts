import { isDeepStrictEqual } from 'node:util'
import { type Capabilities, groupNames, type ProviderErrorCode } from '@stead/provider-kit'
import { type Duration, type Instant, isoTime, millis, seconds } from '@stead/world'
import type { RegionStatus } from '../model.ts'
import { reasonFor } from './reason.ts'

/** What came of asking a backend. */
export type Check =
  | { readonly type: 'answered'; readonly capabilities: Capabilities }
  | { readonly type: 'failed'; readonly code: ProviderErrorCode; readonly retryAfter?: Duration | undefined }

/** Everything the decision may depend on. */
export interface HealthView {
  readonly status: RegionStatus
  readonly check: Check
  /** How many checks have failed in a row, this one too. */
  readonly failures: number
  readonly now: Instant
  /** In [0, 1): regions that failed together are not asked again together. */
  readonly random: number
}

export interface HealthDecision {
  /** What to write, if anything: a region that stays as it is writes nothing. */
  readonly status?: RegionStatus
  /** Whether health itself has changed, which is told. */
  readonly turned: boolean
  readonly after: Duration
}

const whenHealthy = seconds(30)
const firstRetry = seconds(2)
const longestRetry = seconds(60)

/** These may be a lost packet. A region that was healthy is ill only when it happens twice. */
const maybePassing: readonly ProviderErrorCode[] = ['Unavailable', 'Internal']

/** How a region is, after it was asked, and when to ask it again. */
export function decideHealth(view: HealthView): HealthDecision {
  const { status, check, failures, now, random } = view
  const after = pause(view)
  if (check.type === 'failed') {
    // Whoever asks us to slow down is there, and says nothing about what else works.
    if (check.code === 'Throttled') return { turned: false, after }
    if (status.health === 'healthy' && failures < 2 && maybePassing.includes(check.code))
      return { turned: false, after: millis(firstRetry * (0.5 + random / 2)) }
  }
  const { since, reason: _reason, ...rest } = status
  const next: RegionStatus =
    check.type === 'answered'
      ? { ...rest, health: 'healthy', ...abilities(check.capabilities) }
      : { ...rest, health: 'unhealthy', reason: reasonFor(check.code) }
  const turned = next.health !== status.health
  const dated = turned || since === undefined ? { ...next, since: isoTime(now) } : { ...next, since }
  return { turned, after, ...(!isDeepStrictEqual(dated, status) && { status: dated }) }
}

function pause({ check, failures, random }: HealthView): Duration {
  const share = 0.75 + random / 4
  if (check.type === 'answered') return millis(whenHealthy * share)
  const wait = Math.min(longestRetry, firstRetry * 2 ** Math.min(failures - 1, 10)) * share
  return millis(Math.max(wait, check.retryAfter ?? 0))
}

const abilities = ({ sources, groups, notes = [] }: Capabilities) => ({
  sources: [...sources],
  capabilities: groupNames.filter(name => groups[name] !== undefined),
  notes: [...notes],
})
