import Type, { type Static } from 'typebox'
import { Time } from '../resource/model.ts'

/** Every state but the first two is an end. */
export const operationStates = ['pending', 'running', 'succeeded', 'failed', 'cancelled', 'superseded'] as const
export type OperationState = (typeof operationStates)[number]

export const OperationStep = Type.Object({
  name: Type.String(),
  state: Type.Union(operationStates.map(state => Type.Literal(state))),
  message: Type.Optional(Type.String()),
  startedAt: Type.Optional(Time),
  endedAt: Type.Optional(Time),
})

/** One accepted request for change, and how far it has come. It outlives the object it is about. */
export const Operation = Type.Object({
  id: Type.String(),
  type: Type.String(),
  /** The object it changes: kind and id. */
  subject: Type.Object({ kind: Type.String(), id: Type.String() }),
  projectId: Type.Optional(Type.String()),
  organizationId: Type.Optional(Type.String()),
  state: Type.Union(operationStates.map(state => Type.Literal(state))),
  steps: Type.Array(OperationStep),
  /** In words a tenant may see. */
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  requestedBy: Type.Optional(Type.String()),
  createdAt: Time,
  endedAt: Type.Optional(Time),
  traceId: Type.Optional(Type.String()),
})
export type Operation = Static<typeof Operation>
