import type { Duration } from './duration.ts'

declare const instantBrand: unique symbol

/** A moment: milliseconds since the epoch. */
export type Instant = number & { readonly [instantBrand]: true }

export const instant = (millisSinceEpoch: number): Instant => millisSinceEpoch as Instant
export const after = (moment: Instant, delay: Duration): Instant => (moment + delay) as Instant
export const elapsed = (from: Instant, to: Instant): Duration => (to - from) as number as Duration

/** The form in which people and API callers see a moment. */
export const isoTime = (moment: Instant): string => new Date(moment).toISOString()
