import type { Change, ChangeSet, Committed, ObjectDraft, Revision, StoredObject, View } from '@stead/engine'
import type { World } from '@stead/world'
import type { Caller, Place } from '../identity/caller.ts'
import type { Reply, StreamReply } from './route.ts'
import type { Deed } from './witness.ts'

/** How things will be once a change-set has applied. */
export interface Outcome {
  /** The object as it will be stored. The change-set must put it, and expect the version it replaces (or none). */
  object<Spec, Status>(draft: ObjectDraft<Spec, Status>): StoredObject<Spec, Status>
}

/** Somebody who shows in the request itself who they are. */
export type Arrival = Pick<Caller, 'principalId' | 'type' | 'displayName' | 'credentialId'>

/** What a handler may use besides the request itself. Grows with the house; handlers never reach around it. */
export interface Services {
  readonly world: World
  /** Everything on the platform: for what is nobody's, and for rights that reach further than one place. */
  readonly everything: View
  /**
   * Commits and answers, in one. The answer is worked out before the commit and written with it: one that cannot be
   * given changes nothing, and the same Idempotency-Key sent again gets the same answer.
   */
  conclude(changeSet: ChangeSet, answer: (outcome: Outcome) => Reply): Promise<Reply>
  /** Commits something on the way. Only for routes that say `commits: 'many'`. */
  commit(changeSet: ChangeSet): Promise<Committed>
  /** Streams what happens at a place after a revision: from the log as far as it reaches, then as it happens. */
  follow(options: FollowOptions): Promise<StreamReply>
  /** Says under which name somebody tries to come in: told if they are refused. */
  triedAs(name: string): void
  /** Says who has come in, for the audit log: they act, and no longer nobody. Gives no rights. */
  cameInAs(who: Arrival): void
  /** Says what is done to what, for the audit log, where the route alone does not say. */
  does(deed: Deed): void
  /** Waits until this node reads what was written at a revision, for a while. */
  reached(revision: Revision): Promise<void>
}

export interface FollowOptions {
  readonly place: Place
  /** Now, unless said. */
  readonly since: Revision | undefined
  /** The event for a change, without its id; undefined for what the reader did not ask for. */
  readonly show: (change: Change) => string | undefined
}
