import type { Instant } from '@stead/world'
import type { Revision, StoredObject } from './object.ts'

export interface Change {
  readonly op: 'put' | 'remove'
  /** The object after a put, or as it last was before a remove. */
  readonly object: StoredObject
}

/** One committed change-set as watchers see it. Change-sets that touch no object leave no entry. */
export interface LogEntry {
  readonly revision: Revision
  readonly at: Instant
  readonly changes: readonly Change[]
}
