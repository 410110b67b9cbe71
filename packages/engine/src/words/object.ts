import type { Instant } from '@stead/world'
import type { Condition } from './condition.ts'

/** Names one object of the store. */
export interface Ref {
  readonly kind: string
  readonly id: string
}

/** A position in the log. 0 is before the first change. */
export type Revision = number

/** What the engine asks of every status: nothing, but conditions have one home. */
export interface BaseStatus {
  readonly conditions?: readonly Condition[]
}

/** What a writer says of an object. The store adds generation and revision. */
export interface ObjectDraft<Spec = unknown, Status = BaseStatus> extends Ref {
  readonly organizationId?: string
  readonly projectId?: string
  readonly name?: string
  readonly displayName?: string
  readonly labels: Readonly<Record<string, string>>
  /** The object this one exists for. A change here wakes the owner's controller, in constant time. */
  readonly owner?: Ref
  /** Who must still clean up before this object may be removed. */
  readonly finalizers: readonly string[]
  readonly createdAt: Instant
  readonly createdBy?: string
  /** Set once: the object is on its way out. */
  readonly deletedAt?: Instant
  readonly spec: Spec
  readonly status: Status
}

/** An object as the store holds it. Frozen: to change it, put a new draft. */
export interface StoredObject<Spec = unknown, Status = BaseStatus> extends ObjectDraft<Spec, Status> {
  /** Moves by one whenever spec moves. Starts at 1. */
  readonly generation: number
  /** The log position of its last change. */
  readonly revision: Revision
}

export const refOf = ({ kind, id }: Ref): Ref => ({ kind, id })
export const sameRef = (a: Ref, b: Ref): boolean => a.kind === b.kind && a.id === b.id
/** A ref as one string, for maps and messages. Kinds contain no slash. */
export const refKey = ({ kind, id }: Ref): string => `${kind}/${id}`
