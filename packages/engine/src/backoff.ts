import { type Duration, millis } from '@stead/world'

export interface BackoffOptions {
  readonly first: Duration
  readonly cap: Duration
}

/**
 * How long to wait after the nth failure in a row (from 1): doubles up to the cap, the upper half of it at random,
 * so that what failed together does not come back together.
 */
export function backoff({ first, cap }: BackoffOptions, failures: number, random: number): Duration {
  const whole = Math.min(cap, first * 2 ** (failures - 1))
  return millis(whole / 2 + (whole / 2) * random)
}
