import { type Engine, liveNodes, type Store } from '@stead/engine'
import { type Route, route } from '../door/route.ts'
import { type ProgramVersion, presentSystem, System } from './model.ts'

export interface SystemRouteOptions {
  readonly engine: Pick<Engine, 'describe'>
  readonly store: Pick<Store, 'identity' | 'describe' | 'head' | 'compacted' | 'leases'>
  readonly version: ProgramVersion
}

/** What the control plane itself is doing. */
export const systemRoute = ({ engine, store, version }: SystemRouteOptions): Route =>
  route({
    method: 'GET',
    path: '/v1/system',
    summary: 'Read what the control plane itself is doing',
    description: `The node that answers with its queues, all nodes that live with the shards they hold, and the store. What the other nodes
are busy with, only they know: ask each at its own address, or read \`/metrics\` of each.`,
    scope: 'platform',
    permission: 'system:read',
    replies: { 200: System },
    async handle() {
      const [leases, compacted] = await Promise.all([store.leases.list(), store.compacted()])
      const body = presentSystem({
        version,
        node: engine.describe(),
        nodes: liveNodes(leases),
        store: { ...store.identity, ...store.describe(), head: store.head(), compacted },
      })
      return { status: 200, body }
    },
  })
