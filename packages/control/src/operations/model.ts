import { type BaseStatus, kindOf, type Ref, type StoredObject } from '@stead/engine'
import { type Instant, isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { Time } from '../resource/model.ts'
import { Type } from '../schema/type.ts'

/** Every state but the first two is an end. */
export const operationStates = ['pending', 'running', 'succeeded', 'failed', 'cancelled', 'superseded'] as const
export type OperationState = (typeof operationStates)[number]
export type OperationEnd = Exclude<OperationState, 'pending' | 'running'>

const State = Type.Enum([...operationStates])

export const OperationStep = Type.Object({
  name: Type.String(),
  state: State,
  message: Type.Optional(Type.String()),
  startedAt: Type.Optional(Time),
  endedAt: Type.Optional(Time),
})

/** One accepted request for change, and how far it has come. It outlives the object it is about. */
export const Operation = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    /** The object it changes: kind and id. */
    subject: Type.Object({ kind: Type.String(), id: Type.String(), name: Type.Optional(Type.String()) }),
    projectId: Type.Optional(Type.String()),
    organizationId: Type.Optional(Type.String()),
    state: State,
    steps: Type.Array(OperationStep),
    /** In words a tenant may see. */
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    requestedBy: Type.Optional(Type.String()),
    createdAt: Time,
    endedAt: Type.Optional(Time),
    traceId: Type.Optional(Type.String()),
  },
  { title: 'Operation' },
)
export type Operation = Static<typeof Operation>

/** What was asked. It never changes. */
export interface OperationSpec {
  readonly type: string
  readonly subject: Ref & { readonly name?: string }
  readonly requestedBy?: string
  readonly traceId?: string
  /** What of its subject it moves, where its type alone does not say that. Shown to nobody. */
  readonly moves?: readonly string[]
  /** Where in that trace it was asked for, if it is recorded: written with it, and shown to nobody. */
  readonly traceparent?: string
}

export interface Step {
  readonly name: string
  readonly state: OperationState
  readonly message?: string
  readonly startedAt?: Instant
  readonly endedAt?: Instant
}

export interface OperationStatus extends BaseStatus {
  readonly state: OperationState
  readonly steps: readonly Step[]
}

/** While it runs it is an object, owned by its subject; once it has ended it is a record. */
export type OpenOperation = StoredObject<OperationSpec, OperationStatus>
export const operations = kindOf<OpenOperation>('operation')

/** Ended operations, whole, under their own id. */
export const operationsTable = 'operations'
/** One line for each operation, written when it begins, under the id of its subject: how lists find them, newest first. */
export const operationIndexTable = 'operation-index'

export interface OperationError {
  readonly code: string
  readonly message: string
}

/** How callers see one that runs, or is about to be written down as ended. */
export function presentOperation(
  operation: Pick<OpenOperation, 'id' | 'projectId' | 'organizationId' | 'createdAt' | 'spec' | 'status'>,
  end: { readonly endedAt?: Instant; readonly error?: OperationError } = {},
): Operation {
  const { id, projectId, organizationId, createdAt, spec, status } = operation
  const { type, subject, requestedBy, traceId } = spec
  return {
    id,
    type,
    subject: { ...subject },
    ...(projectId !== undefined && { projectId }),
    ...(organizationId !== undefined && { organizationId }),
    state: status.state,
    steps: status.steps.map(({ startedAt, endedAt, ...step }) => ({
      ...step,
      ...(startedAt !== undefined && { startedAt: isoTime(startedAt) }),
      ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    })),
    ...(end.error && { error: { ...end.error } }),
    ...(requestedBy !== undefined && { requestedBy }),
    createdAt: isoTime(createdAt),
    ...(end.endedAt !== undefined && { endedAt: isoTime(end.endedAt) }),
    ...(traceId !== undefined && { traceId }),
  }
}

/** Operations that run, as they are watched: in the form in which they are read. */
export const WatchedOperation = {
  kind: operations as string,
  noun: 'operations',
  schema: Operation,
  present: (operation: OpenOperation) => presentOperation(operation),
}
