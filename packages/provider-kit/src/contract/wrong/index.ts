import { wrongWithAddresses } from './addresses.ts'
import type { WrongProvider } from './altered.ts'
import { wrongInAsking } from './asking.ts'
import { wrongInLaunching } from './launching.ts'
import { wrongInLiving } from './living.ts'
import { wrongWithResources } from './resources.ts'
import { wrongWithServers } from './servers.ts'
import { wrongInStreams } from './streams.ts'

/** One wrong provider for every promise: what the contract's own tests are tested with. */
export const wrongProviders: readonly WrongProvider[] = [
  ...wrongInLaunching,
  ...wrongInLiving,
  ...wrongInAsking,
  ...wrongWithServers,
  ...wrongWithResources,
  ...wrongInStreams,
  ...wrongWithAddresses,
]

export { alteredProvider, type Scene, type WrongProvider } from './altered.ts'
