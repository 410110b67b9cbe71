import { type Amounts, type QuotaKind, quotaKindNames } from '../quotas/kinds.ts'

/**
 * What an instance is charged while it is changed. More is charged before there is more, and less only once there is less:
 * what is large runs on until the change was made, which may be long, or never where the region refuses it.
 */
export function chargedMeanwhile(held: Amounts, wanted: Amounts): Amounts {
  const most: Partial<Record<QuotaKind, number>> = {}
  for (const kind of quotaKindNames) most[kind] = Math.max(held[kind] ?? 0, wanted[kind] ?? 0)
  return most
}
