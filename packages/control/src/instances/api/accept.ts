import { type ChangeSetBuilder, changeSet, type ObjectDraft } from '@stead/engine'
import { accepted } from '../../door/replies.ts'
import type { Reply, Request } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { appendEvent } from '../../events/model.ts'
import { endOperation, openOperations, recordOperation, startOperation } from '../../operations/lifecycle.ts'
import type { Server } from '../../servers/model.ts'
import { activeOf } from '../active.ts'
import { carriedOver, movesGeneration } from '../agreement.ts'
import { type AgreedChange, Instance, type InstanceSpec, type InstanceStatus } from '../model.ts'
import { type Moved, type OperationType, operationSteps, superseded } from '../operations.ts'

/** Who asks, and for which instance. */
export type Asking = Pick<Request<unknown, unknown, unknown, Instance>, 'target' | 'caller' | 'traceId'>

export interface Acceptance {
  readonly type: OperationType
  /** What it moves; as its type says unless said. */
  readonly moves?: readonly Moved[]
  readonly spec?: InstanceSpec
  readonly labels?: Readonly<Record<string, string>>
  readonly displayName?: string | undefined
  readonly status?: Partial<InstanceStatus>
  /** What is agreed to from now on; what was, unless said. */
  readonly change?: AgreedChange | undefined
  readonly deletes?: boolean
  /** In a few words, for the events. */
  readonly what: string
  /** What else belongs in the same change-set. */
  readonly besides?: (set: ChangeSetBuilder) => void
}

/** Accepts a change of an instance: what is wanted, the operation that leads there, and what it makes void, in one. */
export function accept(services: Services, asking: Asking, acceptance: Acceptance): Promise<Reply> {
  const { world, everything, conclude } = services
  const { target, caller, traceId } = asking
  const { type, what, besides, deletes = false, moves } = acceptance
  const now = world.now()
  const set = changeSet(world)
  const open = openOperations(everything, target)
  for (const operation of superseded(open, { type, ...(moves && { moves }) }))
    endOperation(set, operation, { state: 'superseded', at: now })
  const steps = operationSteps[type]
  const operation = startOperation(set, world, {
    subject: target,
    type,
    steps,
    ...(moves && { moves }),
    requestedBy: caller.principalId,
    traceId,
  })
  const { generation: _generation, revision, displayName, ...rest } = target
  const name = 'displayName' in acceptance ? acceptance.displayName : displayName
  const { change: _change, ...status } = target.status
  const change =
    'change' in acceptance ? acceptance.change : agreedAfter(acceptance, target, activeOf(target, everything))
  const to: ObjectDraft<InstanceSpec, InstanceStatus> = {
    ...rest,
    ...(name !== undefined && { displayName: name }),
    ...(acceptance.labels && { labels: acceptance.labels }),
    ...(acceptance.spec && { spec: acceptance.spec }),
    ...(deletes && { deletedAt: now }),
    status: {
      ...status,
      ...(change && { change }),
      ...acceptance.status,
      ready: false,
      operation: { id: operation.id, type, startedAt: now },
    },
  }
  set.expectRevision(target, revision).puts.push(to)
  besides?.(set)
  appendEvent(set, to, {
    reason: `${type[0]!.toUpperCase()}${type.slice(1)}Requested`,
    message: `${what}, by ${caller.displayName}`,
  })
  return conclude(set, outcome => accepted(Instance, outcome.object(to), { operation: { id: operation.id, type } }))
}

/** What nobody said anything of stays agreed to. */
const agreedAfter = ({ spec }: Acceptance, target: Instance, active: Server | undefined): AgreedChange | undefined =>
  spec && movesGeneration(target, spec) ? carriedOver(target, active) : target.status.change

/** Answers what is so already: nothing is done, and the operation that says so has ended. */
export function acceptNothing(
  { world, conclude }: Services,
  { target, caller, traceId }: Asking,
  type: OperationType,
): Promise<Reply> {
  const set = changeSet(world)
  const request = { subject: target, type, steps: [], requestedBy: caller.principalId, traceId }
  const id = recordOperation(set, world, request)
  return conclude(set, () => accepted(Instance, target, { operation: { id, type } }))
}
