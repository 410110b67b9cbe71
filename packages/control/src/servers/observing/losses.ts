import type { Server } from '../model.ts'

/** At least so many, and more than this share of a region: so much is not lost at once, somebody tells us wrong. */
const manyAtLeast = 10
const largeShare = 0.2

export interface LossView {
  /** Missing for longer than old pictures last, in lists that were complete, and nobody asked for that. */
  readonly missing: readonly Server[]
  /** Servers of the region that should be there, the missing ones too. */
  readonly expected: number
  /** Found lost a short while ago: many small losses are a large one. */
  readonly recent: number
  /** An operator has said that they are lost. */
  readonly accepted: boolean
}

export type LossDecision =
  | { readonly type: 'none' }
  /** Too much at once: nothing is done in the region until it clears or somebody says so. */
  | { readonly type: 'guard'; readonly count: number; readonly expected: number }
  /** Each is asked for once more before it is believed. */
  | { readonly type: 'confirm'; readonly servers: readonly Server[] }

/** So many are asked for in one pass: the rest waits for the next. */
const mostAtOnce = 20

export function decideLosses({ missing, expected, recent, accepted }: LossView): LossDecision {
  if (missing.length === 0) return { type: 'none' }
  const count = missing.length + recent
  const isMass = count >= manyAtLeast && count > largeShare * (expected + recent)
  if (isMass && !accepted) return { type: 'guard', count, expected: expected + recent }
  return { type: 'confirm', servers: missing.slice(0, mostAtOnce) }
}
