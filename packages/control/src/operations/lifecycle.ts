import type { ChangeSetBuilder, ObjectDraft, Ref, View } from '@stead/engine'
import { type Instant, newId, type World } from '@stead/world'
import { eventScope, type Subject } from '../events/model.ts'
import {
  type OpenOperation,
  type OperationEnd,
  type OperationError,
  type OperationSpec,
  type OperationStatus,
  operationIndexTable,
  operations,
  operationsTable,
  presentOperation,
  type Step,
} from './model.ts'

export interface OperationRequest {
  readonly subject: Subject
  readonly type: string
  /** Whose end is its own, when that is another object than the one it is about. */
  readonly owner?: Ref
  /** Everything it will go through, in order. */
  readonly steps: readonly string[]
  /** What of its subject it moves, where its type alone does not say that. */
  readonly moves?: readonly string[]
  /** Absent when nobody asked: the control plane began it by itself. */
  readonly requestedBy?: string
  readonly traceId?: string
}

/** Begins an operation in the change-set that accepts what was asked. */
export function startOperation(set: ChangeSetBuilder, world: World, request: OperationRequest): OperationDraft {
  const operation = draftOf(world, request)
  set.create(operation)
  index(set, operation)
  return operation
}

/** Writes down an operation that was over as soon as it was asked for: all was so already. */
export function recordOperation(set: ChangeSetBuilder, world: World, request: OperationRequest): string {
  const draft = draftOf(world, request)
  const steps = draft.status.steps.map(step => succeeded(step, draft.createdAt))
  index(set, draft)
  keep(set, { ...draft, status: { state: 'succeeded', steps } }, { endedAt: draft.createdAt })
  return draft.id
}

type OperationDraft = ObjectDraft<OperationSpec, OperationStatus>

function draftOf(world: World, request: OperationRequest): OperationDraft {
  const { subject, type, steps, moves, requestedBy, traceId, owner } = request
  const { kind, id, name, organizationId, projectId } = subject
  return {
    kind: operations,
    id: newId(world, 'op'),
    ...(organizationId !== undefined && { organizationId }),
    ...(projectId !== undefined && { projectId }),
    labels: {},
    owner: owner ? { kind: owner.kind, id: owner.id } : { kind, id },
    finalizers: [],
    createdAt: world.now(),
    spec: {
      type,
      subject: { kind, id, ...(name !== undefined && { name }) },
      ...(moves && { moves }),
      ...(requestedBy !== undefined && { requestedBy }),
      ...(traceId !== undefined && { traceId }),
    },
    status: { state: 'pending', steps: steps.map(step => ({ name: step, state: 'pending' })) },
  }
}

const index = (set: ChangeSetBuilder, operation: OperationDraft) =>
  set.record({
    table: operationIndexTable,
    scope: eventScope(operation),
    subject: operation.spec.subject.id,
    body: { id: operation.id },
  })

function keep(
  set: ChangeSetBuilder,
  operation: OperationDraft,
  end: { readonly endedAt: Instant; readonly error?: OperationError },
): void {
  const { traceparent } = operation.spec
  const body = { ...presentOperation(operation, end), ...(traceparent !== undefined && { traceparent }) }
  set.record({ table: operationsTable, scope: eventScope(operation), subject: operation.id, body })
}

/** Those that still run for an object, the oldest first. */
export const openOperations = (everything: Pick<View, 'list'>, { kind, id }: Ref): readonly OpenOperation[] =>
  everything.list({ kind: operations, owner: { kind, id } }).items

/** Says that a step has been reached, and what it waits for. Writes nothing when that was so already. */
export function stepOperation(
  set: ChangeSetBuilder,
  operation: OpenOperation,
  reached: { readonly step: string; readonly message?: string; readonly at: Instant },
): void {
  const status = withStep(operation.status, reached)
  if (status !== operation.status) set.update(operation, { status })
}

/** The step that runs; what comes before it is done. The same status when nothing would change. */
export function withStep(
  status: OperationStatus,
  { step: name, message, at }: { readonly step: string; readonly message?: string; readonly at: Instant },
): OperationStatus {
  const position = status.steps.findIndex(step => step.name === name)
  if (position < 0) throw new Error(`the operation has no step ${name}`)
  const current = status.steps[position]!
  const isSame = current.state === 'running' && current.message === message
  if (isSame && status.state === 'running') return status
  const steps = status.steps.map((step, index): Step => {
    if (index < position) return succeeded(step, at)
    // One that is gone back to, because the way on was lost, is done anew from there.
    if (index > position) return { name: step.name, state: 'pending' }
    const startedAt = step.state === 'running' ? step.startedAt! : at
    return { name, state: 'running', startedAt, ...(message !== undefined && { message }) }
  })
  return { ...status, state: 'running', steps }
}

function succeeded(step: Step, at: Instant): Step {
  if (step.state === 'succeeded') return step
  return { name: step.name, state: 'succeeded', startedAt: step.startedAt ?? at, endedAt: at }
}

export interface Ending {
  readonly state: OperationEnd
  readonly error?: OperationError
  readonly at: Instant
}

/** Ends an operation: the object goes, and what became of it is kept as a record for as long as records are kept. */
export function endOperation(set: ChangeSetBuilder, operation: OpenOperation, ending: Ending): void {
  const { state, error, at } = ending
  const steps = operation.status.steps.map(step => endedStep(step, ending))
  set.remove(operation)
  keep(set, { ...operation, status: { state, steps } }, { endedAt: at, ...(error !== undefined && { error }) })
}

/** What it was at ends as the whole does; what it did not come to was cancelled. */
function endedStep(step: Step, { state, error, at }: Ending): Step {
  if (step.state === 'succeeded') return step
  if (state === 'succeeded') return succeeded(step, at)
  if (step.state === 'pending') return { name: step.name, state: 'cancelled' }
  const { message = error?.message } = step
  return { ...step, state, endedAt: at, ...(message !== undefined && { message }) }
}
