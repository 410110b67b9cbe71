import { type Instant, instant } from '@stead/world'

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** How long ago that was, roughly: `3d`, `12m`, `40s`. */
export function age(since: string | null | undefined, now: Instant): string {
  if (!since) return ''
  const seconds = Math.max(0, Math.floor((now - instant(Date.parse(since))) / 1_000))
  const found = units.find(([, size]) => seconds >= 2 * size)
  return found ? `${Math.floor(seconds / found[1])}${found[0]}` : `${seconds}s`
}
