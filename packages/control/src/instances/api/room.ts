import type { ReadCache, Sealer, Store, View } from '@stead/engine'
import { lookUp } from '../../door/find.ts'
import type { Route, Target } from '../../door/route.ts'
import { Network } from '../../networks/model.ts'
import type { RegionCatalogs } from '../../regions/catalog/catalogs.ts'
import type { RegionClients } from '../../regions/clients.ts'
import { Type } from '../../schema/type.ts'
import { Instance, instances, networkOf } from '../model.ts'

/** What the routes of instances have around them. */
export interface InstanceRoom {
  readonly store: Store
  readonly sealer: Sealer
  readonly catalogs: RegionCatalogs
  readonly clients: RegionClients
  readonly cache: Pick<ReadCache, 'onChange' | 'revision' | 'reached'>
}

export type InstanceRoutes = (room: InstanceRoom) => readonly Route[]

export const collection = '/v1/projects/:project/instances'
export const one = `${collection}/:instance`

/** By id, by name, or by `network/name` where several networks have one of the name. */
export const theInstance: Target<Instance> = {
  kind: instances,
  find(objects: View, text: string) {
    const [network, name, ...rest] = text.split('/')
    if (name === undefined || rest.length > 0) return lookUp(objects, instances, text)
    const there = new Set(lookUp(objects, Network.kind, network!).map(({ id }) => id))
    return lookUp(objects, instances, name).filter(({ spec }) => there.has(networkOf(spec) ?? ''))
  },
}

const { properties, ...options } = Instance.schema as unknown as {
  readonly properties: Parameters<typeof Type.Object>[0]
  readonly title: string
}

/** An instance with what is now done to it. */
export const Accepted = Type.Object(
  {
    ...properties,
    operation: Type.Optional(
      Type.Object({ id: Type.String(), type: Type.String() }, { description: 'What is now done; absent for nothing.' }),
    ),
  },
  { title: `${options.title}Accepted` },
)
