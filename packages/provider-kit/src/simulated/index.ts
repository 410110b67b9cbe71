import { defineProvider } from '../define.ts'
import { Type } from '../type.ts'
import { Line } from './client/line.ts'
import { SimulatedProvider } from './client/provider.ts'
import type { SimulatedCloud } from './cloud.ts'

export { type CloudOptions, type Outage, type OutageKind, SimulatedCloud } from './cloud.ts'
export { type FaultName, faultNames, faults, type Script } from './faults.ts'
export { type CloudProfile, defaultProfile } from './profile.ts'

/** The provider of kind `simulated`. Which cloud a region means is the host's to know: clouds live in its memory. */
export const simulatedProvider = (cloud: (name: string) => SimulatedCloud) =>
  defineProvider({
    kind: 'simulated',
    configuration: Type.Object({ cloud: Type.String({ default: 'default' }) }),
    credentials: Type.Object({ key: Type.String() }),
    connect: async ({ configuration, credentials, owner, world }) =>
      new SimulatedProvider(new Line(cloud(configuration.cloud), world, credentials.key), owner),
  })
