import { type Duration, millis } from '@stead/world'
import { isNodeLease, isShardLease, type SeenLease, shardOfLease } from './shards.ts'

/** A node as its leases show it to all others. */
export interface LiveNode {
  readonly id: string
  readonly shards: readonly number[]
  /** What it does for all nodes, beside its shards. */
  readonly duties: readonly string[]
  /** How long until the first of its leases runs out, by the store's clock, if it is not renewed before. */
  readonly remaining: Duration
}

/** Every node that holds something now. One that died stays in it until its leases have run out. */
export function liveNodes(leases: readonly SeenLease[]): readonly LiveNode[] {
  const live = leases.filter(({ remaining }) => remaining > 0)
  return Array.from(
    Map.groupBy(live, ({ holder }) => holder),
    ([id, held]) => ({
      id,
      shards: held
        .filter(({ name }) => isShardLease(name))
        .map(({ name }) => shardOfLease(name))
        .sort((a, b) => a - b),
      duties: held.map(({ name }) => name).filter(name => !isShardLease(name) && !isNodeLease(name)),
      remaining: millis(Math.min(...held.map(({ remaining }) => remaining))),
    }),
  ).sort((a, b) => (a.id < b.id ? -1 : 1))
}
