import { hashText } from '@stead/world'
import type { Expectation } from '../words/change-set.ts'
import type { Lease } from '../words/lease.ts'
import { type Ref, refKey } from '../words/object.ts'

/** Fixed for ever: a key's shard is the same on every node of every version. More nodes than this gain nothing. */
export const shardCount = 32

/** What every write for a shard expects: that nobody has taken it since. */
export type Fence = Extract<Expectation, { type: 'fence' }>

export const shardOf = (ref: Ref): number => hashText(refKey(ref)) % shardCount

const shardPrefix = 'shard/'
export const shardLease = (shard: number): string => `${shardPrefix}${shard}`
export const isShardLease = (name: string): boolean => name.startsWith(shardPrefix)
export const shardOfLease = (name: string): number => Number(name.slice(shardPrefix.length))
export const allShards: readonly number[] = Array.from({ length: shardCount }, (_, shard) => shard)

/** Nodes hold numbered places instead of leases in their own names, so that a thousand restarts leave no thousand rows. */
export const nodeLease = (place: number): string => `node/${place}`
export const isNodeLease = (name: string): boolean => name.startsWith('node/')

/** What the store says of a lease, and for how long by its own clock. */
export type SeenLease = Lease & { readonly remaining: number }

export interface ShardSituation {
  readonly holder: string
  readonly held: ReadonlySet<number>
  readonly leases: readonly SeenLease[]
}

export interface ShardPlan {
  /** The place to register this node at, if it has none. */
  readonly register: string | undefined
  /** Free ones this node may take. */
  readonly take: readonly number[]
  /** How many it holds beyond its share. */
  readonly surplus: number
  /** It holds less than the smallest share: others are about to give some up. */
  readonly isHungry: boolean
  /** When the next lease of somebody else runs out, if nobody renews it. */
  readonly nextExpiry: number
}

/** What this node should do for the shards to be spread evenly over the nodes that live. */
export function planShards({ holder, held, leases }: ShardSituation): ShardPlan {
  const live = leases.filter(({ remaining }) => remaining > 0)
  const nodes = new Set(live.filter(({ name }) => isNodeLease(name)).map(lease => lease.holder)).add(holder).size
  const isRegistered = live.some(lease => isNodeLease(lease.name) && lease.holder === holder)
  const others = live.filter(lease => lease.holder !== holder)
  const taken = new Set(others.map(({ name }) => name))
  const most = Math.ceil(shardCount / nodes)
  const free = allShards.filter(shard => !held.has(shard) && !taken.has(shardLease(shard)))
  return {
    register: isRegistered ? undefined : nodeLease(freePlace(taken)),
    take: free.slice(0, Math.max(0, most - held.size)),
    surplus: Math.max(0, held.size - most),
    isHungry: held.size < Math.floor(shardCount / nodes),
    nextExpiry: Math.min(...others.map(({ remaining }) => remaining)),
  }
}

function freePlace(taken: ReadonlySet<string>): number {
  let place = 0
  while (taken.has(nodeLease(place))) place++
  return place
}
