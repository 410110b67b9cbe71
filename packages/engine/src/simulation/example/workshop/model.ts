import { type BaseStatus, kindOf, type StoredObject } from '../../../words/index.ts'

/** The one place outside in which all things are made. It exists to be looked over from time to time. */
export type Workshop = StoredObject<Record<string, never>, BaseStatus>

export const workshops = kindOf<Workshop>('workshop')
/** There is one. */
export const workshopId = 'workshop'
