declare const durationBrand: unique symbol

/** A length of time in milliseconds. */
export type Duration = number & { readonly [durationBrand]: true }

export const millis = (n: number): Duration => n as Duration
export const seconds = (n: number): Duration => (n * 1_000) as Duration
export const minutes = (n: number): Duration => (n * 60_000) as Duration
export const hours = (n: number): Duration => (n * 3_600_000) as Duration
export const days = (n: number): Duration => (n * 86_400_000) as Duration

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads `250ms`, `15m`, `1h30m`; undefined for anything else. */
export function parseDuration(text: string): Duration | undefined {
  if (!/^(\d+(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g)) total += Number(count) * units[unit!]!
  return Number.isSafeInteger(total) ? (total as Duration) : undefined
}

/** Writes a duration the way `parseDuration` reads it, e.g. `1h30m`. */
export function formatDuration(duration: Duration): string {
  let rest = Math.round(duration)
  if (rest === 0) return '0s'
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const count = Math.floor(rest / units[unit]!)
    if (count > 0) text += `${count}${unit}`
    rest -= count * units[unit]!
  }
  return text
}
