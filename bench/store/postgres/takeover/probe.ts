import { type BaseStatus, kindOf, type ObjectDraft, type StoredObject, shardCount, shardOf } from '@stead/engine'
import { newId, type World } from '@stead/world'

/** An object that says which node has reconciled it last. */
export type Probe = StoredObject<unknown, BaseStatus & { readonly by?: string }>
export const probes = kindOf<Probe>('probe')

/** One for each shard. */
export function probeEachShard(world: World): readonly ObjectDraft[] {
  const byShard = new Map<number, string>()
  while (byShard.size < shardCount) {
    const id = newId(world, 'prb')
    byShard.set(shardOf({ kind: probes, id }), id)
  }
  const common = { kind: probes, labels: {}, finalizers: [], createdAt: world.now(), spec: {}, status: {} }
  return Array.from(byShard.values(), id => ({ ...common, id }))
}
