import { type BaseStatus, kindOf, type StoredObject } from '../../../words/index.ts'

/** What a user asks for: so many widgets, all of one color. */
export interface GadgetSpec {
  readonly widgets: number
  readonly color: string
}

export interface GadgetStatus extends BaseStatus {
  /** How many widgets are made and right. */
  readonly ready: number
  /** The generation this status speaks of. */
  readonly observedGeneration: number
}

export type Gadget = StoredObject<GadgetSpec, GadgetStatus>

export const gadgets = kindOf<Gadget>('gadget')

/** Unique among gadgets, by a key: no race, no read before the write. */
export const nameKey = (name: string) => `gadget-name/${name}`
/** Taken by the request that creates a gadget and kept for good: a copy of it that comes late makes no second one. */
export const requestKey = (id: string) => `gadget-request/${id}`
/** Counts gadgets from create until they are gone. */
export const gadgetQuota = 'quota/gadgets'
/** Stays until the last widget is gone. */
export const widgetsFinalizer = 'widgets'
