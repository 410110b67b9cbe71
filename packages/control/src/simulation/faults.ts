import { type EngineFault, engineFaults, type FaultCatalogue, type FaultKind } from '@stead/engine/simulation'
import { faults as cloudFaults, type FaultName, faultNames } from '@stead/provider-kit/simulated'

/** How likely each fault of the cloud is, each time it could happen; of those left out, never. */
const usual: Partial<Record<FaultName, number>> = {
  errorBefore: 0.05,
  lostReply: 0.08,
  lateEffect: 0.08,
  slow: 0.05,
  throttled: 0.05,
  capacity: 0.1,
  quota: 0.1,
  bootFailure: 0.1,
  stopIgnored: 0.3,
  stuck: 0.04,
  addressChange: 0.3,
  brokenWatch: 0.1,
  crash: 0.01,
  disappear: 0.008,
  outage: 0.015,
  partialOutage: 0.02,
  slowness: 0.02,
}

export type CloudFault = `cloud-${FaultName}`
export type ControlFault = 'node-crash-before-outside-call' | 'node-crash-after-outside-call' | CloudFault

const ofCloud = Object.fromEntries(
  faultNames.map(name => [`cloud-${name}`, { usual: usual[name] ?? 0, meaning: cloudFaults[name] }]),
) as Record<CloudFault, { usual: number; meaning: string }>

/** The engine is tried harder on its own; here it must leave room for something to happen at all. */
const ofEngine = Object.fromEntries(
  Object.entries(engineFaults).map(([name, kind]) => [name, { ...kind, usual: kind.usual / 3 }]),
) as Record<EngineFault, FaultKind>

/** Everything that can go wrong in a simulation of the control plane on a simulated cloud. */
export const controlFaults = {
  ...ofEngine,
  'node-crash-before-outside-call': { usual: 0.02, meaning: 'a node dies instead of calling the backend' },
  'node-crash-after-outside-call': {
    usual: 0.02,
    meaning: 'a node dies when the backend has done it, before it knows',
  },
  ...ofCloud,
} as const satisfies FaultCatalogue

/** Where a node can die in the middle of something. */
export const nodeCrashes = [
  'node-crash-before-commit',
  'node-crash-after-commit',
  'node-crash-before-outside-call',
  'node-crash-after-outside-call',
] as const
