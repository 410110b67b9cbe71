import type { Duration } from './duration.ts'

declare const instantBrand: unique symbol

/** A moment: milliseconds since the epoch. */
export type Instant = number & { readonly [instantBrand]: true }

export const instant = (millisSinceEpoch: number): Instant => millisSinceEpoch as Instant
export const after = (moment: Instant, delay: Duration): Instant => (moment + delay) as Instant
export const elapsed = (from: Instant, to: Instant): Duration => (to - from) as number as Duration

const day = 86_400_000
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
let lastDay = Number.NaN
let lastDate = ''

/**
 * The form in which people and API callers see a moment. The date is kept from one to the next: moments shown together
 * are mostly of one day, and this takes a sixth of what `toISOString` does. A list of 100 objects shows 100 and more.
 */
export function isoTime(moment: Instant): string {
  const days = Math.floor(moment / day)
  if (days !== lastDay) {
    lastDate = new Date(days * day).toISOString().slice(0, -13)
    lastDay = days
  }
  const millis = Math.floor(moment - days * day)
  const seconds = Math.floor(millis / 1_000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`
  return `${lastDate}${clock}.${String(millis % 1_000).padStart(3, '0')}Z`
}
