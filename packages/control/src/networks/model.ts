import type { Index } from '@stead/engine'
import type { Static } from 'typebox'
import { type Realised, type RealisedStatus, ShownRealisedStatus, showRealised } from '../realised/model.ts'
import { RegionField } from '../regions/in-regions.ts'
import { writeSchema } from '../resource/bodies.ts'
import { type Resource, resource } from '../resource/resource.ts'
import { Type } from '../schema/type.ts'

const cidr = Type.String({
  maxLength: 18,
  description:
    'The IPv4 addresses that it has, in their one form: `10.20.0.0/24`. From /8 to /29, and none that another network of the project has in the same region.',
})

/** Machines of a project that reach each other, and are kept from everybody else's. */
export const NetworkSpec = Type.Object({ region: RegionField, cidr })
export type NetworkSpec = Static<typeof NetworkSpec>

export type Network = Realised<NetworkSpec>

export const Network: Resource<typeof NetworkSpec, RealisedStatus> = resource(
  'network',
  'net',
  NetworkSpec,
  ShownRealisedStatus,
  { immutable: ['/spec/region', '/spec/cidr'], show: showRealised },
)

/** How one is sent. */
export const NetworkWriteSpec = Type.Object({ region: Type.Optional(RegionField), cidr })
export const NetworkWrite = writeSchema('Network', Network.kind, NetworkWriteSpec)

/** One name, one network, in a project. */
export const networkName = (projectId: string, name: string): string => `network-name/${projectId}/${name}`

export const networksByRegion: Index<Network> = {
  name: 'region',
  kind: Network.kind,
  keys: ({ spec }) => [spec.region],
}
