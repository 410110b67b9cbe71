import type { ChangeSet, CommitOptions, Committed, ReadCache, Store } from '@stead/engine'

/** What the door asks of the engine. */
export interface DoorEngine {
  readonly cache: Pick<
    ReadCache,
    'revision' | 'inProject' | 'inOrganization' | 'platform' | 'reached' | 'onChange' | 'lag' | 'loaded'
  >
  readonly store: Pick<Store, 'head' | 'keyHolder' | 'records' | 'outcome' | 'watch' | 'compacted' | 'expireRecords'>
  /** Resolves once this node reads what was written. */
  commit(changeSet: ChangeSet, options?: CommitOptions): Promise<Committed>
}
