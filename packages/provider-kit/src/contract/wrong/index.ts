import type { WrongProvider } from './altered.ts'
import { wrongInCore } from './core.ts'
import { wrongWithResources } from './resources.ts'
import { wrongWithServers } from './servers.ts'
import { wrongInStreams } from './streams.ts'

/** One wrong provider for every promise: what the contract's own tests are tested with. */
export const wrongProviders: readonly WrongProvider[] = [
  ...wrongInCore,
  ...wrongWithServers,
  ...wrongWithResources,
  ...wrongInStreams,
]

export { alteredProvider, type Scene, type WrongProvider } from './altered.ts'
