import { findCondition } from '@stead/engine'
import type { Region } from '../regions/model.ts'

/** The condition of a region in which too much looks gone at once. `false` when an operator has said that it is. */
export const massLoss = 'MassLoss'

/** Why nothing is done in a region now, if so. */
export function holdOf({ spec, status }: Pick<Region, 'spec' | 'status'>): string | undefined {
  if (spec.mode === 'maintenance') return 'the region is in maintenance'
  if (findCondition(status.conditions, massLoss)?.status === 'true') return 'too much of the region looks gone at once'
  return undefined
}
