import type { Store } from '@stead/engine'
import { counterOf, type Payer, payersOf } from './counters.ts'
import { type Amounts, type QuotaKind, quotaKindNames } from './kinds.ts'
import type { Limits } from './limits.ts'

/** What an organization or project uses now. */
export type Use = Readonly<Record<QuotaKind, number>>

/** Reads what somebody uses. Kind by kind: an organization's counters stand among those of all its projects. */
export async function readUse(store: Pick<Store, 'counters'>, payer: Payer): Promise<Use> {
  const used = await Promise.all(
    quotaKindNames.map(async kind => {
      const counter = counterOf(payer, kind)
      const found = await store.counters(counter)
      return [kind, found.find(each => each.counter === counter)?.value ?? 0] as const
    }),
  )
  return Object.fromEntries(used) as Record<QuotaKind, number>
}

/** One of the two limits that something must fit in. */
export interface Level {
  readonly level: 'project' | 'organization'
  readonly limits: Limits
  readonly used: Use
}

/** The limits and the use of everyone who would be charged, the nearest first. */
export async function readLevels(
  store: Pick<Store, 'counters'>,
  limitsOf: (payer: Payer) => Limits,
  payer: Payer,
): Promise<readonly Level[]> {
  return Promise.all(
    payersOf(payer).map(async each => ({
      level: each.project === undefined ? ('organization' as const) : ('project' as const),
      limits: limitsOf(each),
      used: await readUse(store, each),
    })),
  )
}

/** A limit that something would not fit in. */
export interface Blocking {
  readonly kind: QuotaKind
  readonly level: Level['level']
  readonly limit: number
  readonly used: number
  readonly asked: number
}

/** Everything that is in the way of using this much more. */
export const blocking = (levels: readonly Level[], amounts: Amounts): readonly Blocking[] =>
  levels.flatMap(({ level, limits, used }) =>
    quotaKindNames.flatMap(kind => {
      const limit = limits[kind]
      const asked = amounts[kind] ?? 0
      const isInTheWay = limit !== undefined && asked > 0 && used[kind] + asked > limit
      return isInTheWay ? [{ kind, level, limit, used: used[kind], asked }] : []
    }),
  )

/** How much more of a kind there can be; null when nothing limits it. */
export function available(levels: readonly Level[], kind: QuotaKind): number | null {
  const left = levels.flatMap(({ limits, used }) => {
    const limit = limits[kind]
    return limit === undefined ? [] : [Math.max(0, limit - used[kind])]
  })
  return left.length === 0 ? null : Math.min(...left)
}
