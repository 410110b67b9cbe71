import { openPostgresStore } from '@stead/engine'
import { PostgresCluster } from '@stead/testing'
import { realWorld } from '@stead/world'
import { type HouseOptions, IdentityHouse } from './house.ts'

export interface TwoNodes {
  readonly nodes: readonly [IdentityHouse, IdentityHouse]
  close(): Promise<void>
}

/** Two nodes that start together on one PostgreSQL of their own. */
export async function openTwoNodes(options: HouseOptions = {}): Promise<TwoNodes> {
  const cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
  const openStore = () => openPostgresStore({ url: cluster.url(), world: realWorld })
  const open = () => IdentityHouse.openForAll({ ...options, openStore })
  const nodes = await Promise.all([open(), open()])
  const admin = nodes.map(node => node.admin).find(token => token !== '')!
  for (const node of nodes) node.admin = admin
  return {
    nodes,
    async close() {
      for (const node of nodes) await node.close()
      await cluster.stop()
    },
  }
}
