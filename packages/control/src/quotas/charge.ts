import { type ChangeSetBuilder, kindOf, type Ref, refKey, type StoredObject, type View } from '@stead/engine'
import type { Instant } from '@stead/world'
import { counterOf, type Payer, payersOf } from './counters.ts'
import { type Amounts, checkedAmounts, quotaKindNames } from './kinds.ts'

export interface AllocationSpec {
  /** What is charged. */
  readonly for: Ref
  readonly amounts: Amounts
}

/** What one thing is charged now. Its id follows from the thing's, so that nobody has to remember it. */
export type Allocation = StoredObject<AllocationSpec>

export const allocations = kindOf<Allocation>('allocation')

export interface Charge extends Payer {
  readonly for: Ref
  /** All that the thing uses from now on, not what is added to it. */
  readonly amounts: Amounts
  readonly at: Instant
}

/** What a thing is charged now, if anything. */
export const allocationOf = (everything: Pick<View, 'get'>, thing: Ref): Allocation | undefined =>
  everything.get(allocations, refKey(thing))

/**
 * Charges a thing for what it uses, in the change-set that makes it use that. Charged before, it is charged the
 * difference. The change-set does not apply when a limit is in the way: a conflict of type `limit`.
 *
 * Never twice: the allocation is made where there was none, or replaces the one that was read; otherwise the change-set
 * does not apply, and whoever made it reads again.
 */
export function charge(set: ChangeSetBuilder, everything: Pick<View, 'get'>, request: Charge): void {
  const { organization, project, for: thing, at } = request
  const amounts = checkedAmounts(request.amounts)
  const allocation = allocationOf(everything, thing)
  if (!allocation) {
    move(set, request, { from: {}, to: amounts })
    set.create({
      kind: allocations,
      id: refKey(thing),
      organizationId: organization,
      ...(project !== undefined && { projectId: project }),
      labels: {},
      finalizers: [],
      createdAt: at,
      spec: { for: { kind: thing.kind, id: thing.id }, amounts },
      status: {},
    })
    return
  }
  const payer = payerOf(allocation)
  if (payer.organization !== organization || payer.project !== project)
    throw new Error(`${refKey(thing)} is charged to another project already`)
  const from = allocation.spec.amounts
  if (quotaKindNames.every(kind => from[kind] === amounts[kind])) return
  move(set, payer, { from, to: amounts })
  set.update(allocation, { spec: { for: allocation.spec.for, amounts } })
}

/**
 * Gives back what a thing was charged, whatever its size is by now, in the change-set that forgets the thing. No limit is
 * ever in the way. Does nothing for a thing that is charged nothing.
 */
export function release(set: ChangeSetBuilder, everything: Pick<View, 'get'>, thing: Ref): void {
  const allocation = allocationOf(everything, thing)
  if (!allocation) return
  move(set, payerOf(allocation), { from: allocation.spec.amounts, to: {} })
  set.remove(allocation)
}

export const payerOf = ({ organizationId, projectId }: Allocation): Payer => ({
  organization: organizationId!,
  ...(projectId !== undefined && { project: projectId }),
})

function move(set: ChangeSetBuilder, payer: Payer, { from, to }: { readonly from: Amounts; readonly to: Amounts }) {
  for (const each of payersOf(payer))
    for (const kind of quotaKindNames) {
      const by = (to[kind] ?? 0) - (from[kind] ?? 0)
      if (by !== 0) set.move(counterOf(each, kind), by)
    }
}
