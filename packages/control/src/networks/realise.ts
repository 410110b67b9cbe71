import type { NetworkInfo, NetworkSpec } from '@stead/provider-kit'
import type { RealisedKind } from '../realised/kind.ts'
import { type Part, type Whole, whole } from '../teardown/model.ts'
import { releaseAddresses } from './address-plan.ts'
import { Network, networkName, networksByRegion } from './model.ts'

/** A network with what must be gone before it: first what is attached to it, then its security groups. */
export const networkWhole = (parts: readonly Part[]): Whole =>
  whole<Network>(Network.kind, {
    parts,
    keys: ({ projectId, name }) => [networkName(projectId!, name!)],
    besides: releaseAddresses,
  })

/** How networks exist in regions. */
export const realisedNetworks = (of: Whole): RealisedKind<Network, NetworkSpec, NetworkInfo> => ({
  whole: of,
  group: () => 'networks',
  collection: ({ networks }) => networks,
  regionOf: ({ spec }) => spec.region,
  inRegion: (everything, regionId) =>
    everything.list({ kind: Network.kind, index: { name: networksByRegion.name, key: regionId } }).items,
  specOf: ({ spec }) => ({ cidr: spec.cidr }),
})
