import type { Store } from '../words/store.ts'

/** One kind of store, as the conformance suite needs it. */
export interface StoreFactory {
  /** How many handles may be open on the same data at once; 1 for a store that refuses a second opener. */
  readonly nodes: number
  /** Whether commits called one after another on one handle, without waiting between them, apply in that order. */
  readonly inOrder: boolean
  /** A place without data yet. */
  create(): Promise<StoreHome>
  /** Copies the data of a closed store to another home, as an operator would who does not ask the store. */
  copy?(home: StoreHome): Promise<StoreHome>
  /**
   * Makes this handle lose the answer to its next commit, after the change-set was applied. Only for stores whose
   * answers travel where they can be lost.
   */
  loseNextAnswer?(store: Store): void
}

/** Where one store's data lives. */
export interface StoreHome {
  /** Opens a handle on the data. Opening again after a close is a restart. */
  open(): Promise<Store>
  /** Removes everything. Handles that are still open are closed by the suite before. */
  destroy(): Promise<void>
}
