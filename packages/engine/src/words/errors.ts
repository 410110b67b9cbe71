import { type Conflict, describeConflict } from './conflict.ts'
import type { Revision } from './object.ts'

/** The change-set did not apply: something it expected was not so. Nothing was written. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
  readonly conflict: Conflict
  constructor(conflict: Conflict) {
    super(describeConflict(conflict))
    this.conflict = conflict
  }
}

/** The log no longer reaches back that far: list again, then watch from the list's revision. */
export class GoneError extends Error {
  override readonly name = 'GoneError'
  readonly compacted: Revision
  constructor(asked: Revision, compacted: Revision) {
    super(`the log starts after revision ${compacted}; ${asked} is gone`)
    this.compacted = compacted
  }
}

/** The change-set itself is malformed. A bug in the caller, found before anything is written. */
export class InvalidChangeSetError extends Error {
  override readonly name = 'InvalidChangeSetError'
}

/**
 * The store can't serve this now. `commit` rejects with it only when the change-set did not apply and will not,
 * or when its deadline passed first; then asking `outcome` with its id tells.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
}

/** Why a store could not be opened; each is its own exit code of `stead`. */
export type OpenFailure = 'in_use' | 'corrupt' | 'unwritable' | 'disk_full' | 'newer_schema' | 'unreachable'

export class OpenError extends Error {
  override readonly name = 'OpenError'
  readonly failure: OpenFailure
  constructor(failure: OpenFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}
