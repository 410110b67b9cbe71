import type { Counter, Ref, View } from '@stead/engine'
import { type Allocation, allocations, payerOf } from './charge.ts'
import { counterOf, payersOf, type QuotaCounter, readCounter } from './counters.ts'
import type { QuotaKind } from './kinds.ts'
import { type Quota, quotas } from './limits.ts'

/** Something about quotas that is not as it must be. */
export type Drift =
  /** A counter does not say what its allocations add up to. */
  | (QuotaCounter & { readonly type: 'use'; readonly counted: number; readonly allocated: number })
  /** A counter does not enforce the limit that is set. */
  | (QuotaCounter & { readonly type: 'limit'; readonly enforced: number | null; readonly set: number | null })
  /** Something is charged that no longer exists. */
  | { readonly type: 'orphan'; readonly organization: string; readonly for: Ref }

/**
 * What every counter should say: the sum of all allocations, kept current by being told of changes. Sums come out the
 * same in whatever order they are added up, so that what changes meanwhile can be added at once.
 */
export class Recount {
  readonly #sums = new Map<string, number>()
  /** Every sum that a counter had since it was last asked to forget. */
  readonly #earlier = new Map<string, Set<number>>()

  add(allocation: Allocation): void {
    this.#move(allocation, 1)
  }

  change(from: Allocation | undefined, to: Allocation | undefined): void {
    if (from) this.#move(from, -1)
    if (to) this.#move(to, 1)
  }

  forgetEarlier(): void {
    this.#earlier.clear()
  }

  now(counter: string): number {
    return this.#sums.get(counter) ?? 0
  }

  /** Whether a counter has this sum, or had it before. */
  had(counter: string, value: number): boolean {
    return this.now(counter) === value || (this.#earlier.get(counter)?.has(value) ?? false)
  }

  /** All that should not be 0 now. */
  counters(): readonly string[] {
    return [...this.#sums].flatMap(([counter, sum]) => (sum === 0 ? [] : [counter]))
  }

  #move(allocation: Allocation, sign: 1 | -1): void {
    for (const payer of payersOf(payerOf(allocation)))
      for (const [kind, amount] of Object.entries(allocation.spec.amounts)) {
        const counter = counterOf(payer, kind as QuotaKind)
        const before = this.now(counter)
        const seen = this.#earlier.get(counter)
        if (seen) seen.add(before)
        else this.#earlier.set(counter, new Set([before]))
        this.#sums.set(counter, before + sign * amount)
      }
  }
}

/** Where counters differ from what was recounted while they were read. */
export function useDrift(counters: readonly Counter[], recount: Recount): readonly Drift[] {
  const values = new Map(counters.map(({ counter, value }) => [counter, value]))
  const names = new Set([...values.keys(), ...recount.counters()])
  return [...names].flatMap(name => {
    const counted = values.get(name) ?? 0
    const of = readCounter(name)
    if (!of || recount.had(name, counted)) return []
    return [{ type: 'use', ...of, counted, allocated: recount.now(name) }]
  })
}

/** Where counters enforce another limit than is set. Of who has no limits none is asked: they may be gone. */
export function limitDrift(counters: readonly Counter[], everything: View): readonly Drift[] {
  const limits = new Map(counters.map(({ counter, limit }) => [counter, limit]))
  return everything.list({ kind: quotas }).items.flatMap((quota: Quota) => {
    const { organizationId: organization, projectId: project } = quota
    const payer = { organization: organization!, ...(project !== undefined && { project }) }
    return Object.entries(quota.spec.limits).flatMap(([name, set]) => {
      const kind = name as QuotaKind
      const enforced = limits.get(counterOf(payer, kind)) ?? null
      return enforced === set ? [] : [{ type: 'limit' as const, ...payer, kind, enforced, set }]
    })
  })
}

/** Whether what is charged is no longer there. */
export const isOrphan = (everything: View, { id, spec }: Allocation): boolean =>
  everything.get(allocations, id) !== undefined && everything.get(spec.for.kind, spec.for.id) === undefined
