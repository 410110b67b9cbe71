import type { Duration } from '@stead/world'
import type { Condition } from '../words/condition.ts'
import type { Ref } from '../words/object.ts'
import type { Lane } from './queue.ts'

/** What a controller has to do on this node. */
export interface ControllerState {
  readonly name: string
  readonly kind: string
  /** Keys that wait for a turn. */
  readonly waiting: Readonly<Record<Lane, number>>
  readonly running: number
  /** Keys that wait for a time. */
  readonly delayed: number
  /** Keys that wait for a change. */
  readonly parked: number
  /** How long the key that has waited longest for a turn has waited. */
  readonly oldest: Duration
}

/** An object that does not come on: its controller fails on it, or has parked it until somebody changes something. */
export type StuckObject = Ref & { readonly controller: string } & (
    | {
        readonly state: 'failing'
        /** In a row. */
        readonly failures: number
      }
    | {
        readonly state: 'parked'
        /** Why, as the object shows it. */
        readonly condition: Condition
      }
  )
