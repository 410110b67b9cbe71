import type { Instant } from '@stead/world'

/** One thing that is, is not, or may be so about an object, and why. */
export interface Condition {
  readonly type: string
  readonly status: 'true' | 'false' | 'unknown'
  /** One CamelCase word a program can compare. */
  readonly reason: string
  /** A sentence for a person. */
  readonly message: string
  /** When `status` last changed. */
  readonly since: Instant
}

/** The same list if nothing would change: a reconcile that learns nothing writes nothing. */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, 'since'>,
  now: Instant,
): readonly Condition[] {
  const list = conditions ?? []
  const current = list.find(condition => condition.type === next.type)
  if (!current) return [...list, { ...next, since: now }]
  if (current.status === next.status && current.reason === next.reason && current.message === next.message) return list
  const since = current.status === next.status ? current.since : now
  return list.map(condition => (condition === current ? { ...next, since } : condition))
}

/** The same list if there was no such condition. */
export function clearCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const list = conditions ?? []
  return list.some(condition => condition.type === type) ? list.filter(condition => condition.type !== type) : list
}

export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find(condition => condition.type === type)
