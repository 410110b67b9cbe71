import type { ChangeSet, RecordDraft, StoredObject } from '@stead/engine'
import type { ErrorCode } from '../errors/index.ts'
import type { Caller, Place } from '../identity/caller.ts'
import type { Route } from './route.ts'

/** Who did what, where: what the audit log is about. */
export interface Act {
  readonly route: Route
  readonly caller: Caller
  /** The name under which a caller who is nobody tried to come in. */
  readonly tried: string | undefined
  readonly place: Place
  /** The object the path names, once it is found. */
  readonly targetId: string | undefined
  readonly address: string
  /** What the client says it is. */
  readonly userAgent: string | undefined
  readonly traceId: string
  /** What it is about where the route alone does not say: what is done (`noun:verb`), and to which object. */
  readonly deed?: Deed | undefined
}

export interface Deed {
  readonly action: string
  readonly object: StoredObject
}

/** How something that stayed open ended. */
export interface Closing {
  readonly reason: string
  readonly seconds: number
  /** And what else there is to say of it: never anything that went through it. */
  readonly [detail: string]: string | number
}

/** How an act ended. */
export interface Ending {
  readonly status: number
  /** What it was refused with. */
  readonly code: ErrorCode | undefined
  /** Whether it was refused for want of a credential or a right, even where it was told that there is no such thing. */
  readonly isDenied: boolean
  /** Whether a change was committed for it; then `ofChange` has already told of it. */
  readonly hasChanged: boolean
}

/** Sees everything that goes through the door: what the audit log hangs on. */
export interface Witness {
  /**
   * Lines to write in the same change-set as the change they tell of: no change without its line, no line without its
   * change.
   */
  ofChange(act: Act, changeSet: ChangeSet): readonly RecordDraft[]
  /** Told once of each request that reached a route, after its answer. */
  ended(act: Act, ending: Ending): void
  /** Told once of each conversation that was open, after its end. */
  closed(act: Act, closing: Closing): void
}

export const noWitness: Witness = { ofChange: () => [], ended: () => {}, closed: () => {} }
