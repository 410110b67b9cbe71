import type { Ledger } from '@stead/engine/simulation'
import { defaultProfile } from '@stead/provider-kit/simulated'
import type { Allocation } from '../../quotas/charge.ts'
import { readCounter } from '../../quotas/counters.ts'
import type { Amounts, QuotaKind } from '../../quotas/kinds.ts'
import { type Quota, quotas } from '../../quotas/limits.ts'
import type { OfferedFlavor } from '../../regions/catalog/offered.ts'
import { known } from '../../servers/simulation/end-state.ts'
import { amountsOf } from '../amounts.ts'
import type { Instance } from '../model.ts'

/** What is wrong with what is counted, if anything. */
export type Miscount = string | undefined

const oneGiB = 2 ** 30

/** By the cloud's own list of sizes, so that it does not hang on what any node has read of it. */
const flavors = new Map(
  defaultProfile.flavors.map(({ id, diskBytes, ...rest }) => [
    id,
    { ...rest, diskGiB: Math.ceil((diskBytes ?? 0) / oneGiB) } as unknown as OfferedFlavor,
  ]),
)

/** What an instance uses by what is wanted of it. */
const due = ({ spec }: Instance): Amounts => amountsOf(spec, flavors.get(spec.source.machine?.flavor ?? ''))

/** An instance that is what it is wanted to be is charged for exactly that. */
export function mischarged(instance: Instance, charged: Amounts): Miscount {
  const { change, charged: second, due: later } = instance.status
  // Until a successor has taken over, or it was made smaller, it is charged as it was.
  if (change || second !== undefined || later || instance.deletedAt !== undefined) return undefined
  const wanted = due(instance)
  const kinds = new Set([...Object.keys(wanted), ...Object.keys(charged)]) as Set<QuotaKind>
  const wrong = [...kinds].filter(kind => (wanted[kind] ?? 0) !== (charged[kind] ?? 0))
  return wrong.length === 0
    ? undefined
    : `${instance.name}: ${wrong.map(kind => `${kind} ${charged[kind] ?? 0} in place of ${wanted[kind] ?? 0}`)}`
}

/** Counts again what all counters say, and holds the limits against those that an operator has set. */
export class Recount {
  readonly #ledger: Ledger
  readonly #before = new Map<string, number>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** After every commit: use is what is charged, and it never grows past a limit. One may be set below what is used. */
  check(charged: readonly Allocation[]): Miscount {
    const limits = new Map(known<Quota>(this.#ledger, quotas).map(({ id, spec }) => [id, spec.limits]))
    for (const [counter, { value, limit }] of this.#ledger.counters) {
      const read = readCounter(counter)
      if (!read) continue
      const { organization, project, kind } = read
      const sum = charged
        .filter(each => each.organizationId === organization && (project === undefined || each.projectId === project))
        .reduce((total, { spec }) => total + (spec.amounts[kind] ?? 0), 0)
      if (value !== sum) return `${counter} is ${value}, charged are ${sum}`
      const said = limits.get(project ?? organization)?.[kind] ?? null
      if (limit !== said) return `${counter} is limited to ${limit}, and an operator has said ${said}`
      const before = this.#before.get(counter) ?? 0
      if (limit !== null && value > limit && value > before)
        return `${counter} went from ${before} to ${value} of ${limit}`
      this.#before.set(counter, value)
    }
    return undefined
  }
}
