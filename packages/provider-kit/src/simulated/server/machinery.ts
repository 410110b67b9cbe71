import type { Appointment, Duration } from '@stead/world'
import type { Clockwork } from '../clockwork.ts'
import type { Faults } from '../faults.ts'
import type { CloudProfile } from '../profile.ts'
import type { SimServer } from './server.ts'

/** What a server needs of the account it is in. */
export interface Machinery {
  readonly profile: CloudProfile
  readonly clockwork: Clockwork
  readonly faults: Faults
  /** It looks different now. */
  changed(server: SimServer): void
  booted(server: SimServer): void
  /** It ran and does not run any more: nothing inside it does. */
  down(server: SimServer): void
  deleted(server: SimServer): void
  /** It comes back: with the addresses that it keeps, unless another has them, or perhaps somewhere else. */
  readdress(server: SimServer): void
  /** How long this change of state takes this time. */
  transition(server: SimServer, usual: Duration): Duration
  /** What will become of it by itself. */
  drawFate(server: SimServer): Appointment<unknown> | undefined
}
