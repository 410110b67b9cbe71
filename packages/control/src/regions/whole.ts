import type { Index, Kind, StoredObject } from '@stead/engine'
import { type Part, type Whole, whole } from '../teardown/model.ts'
import { Region, regionName } from './model.ts'

/** A region with what is in it. */
export const regionWhole = (parts: readonly Part[]): Whole =>
  whole(Region.kind, { parts, keys: ({ name }) => [regionName(name!)] })

/**
 * Things of a kind that are in a region, found by an index whose one key is the region's id. They stand in the way of its
 * end, and nothing ends them but who owns them: deleting a region does not cascade.
 */
export const inRegion = <T extends StoredObject>(kind: Kind<T>, noun: string, index: Index<T>): Part => ({
  kind: kind as string,
  noun,
  blocks: true,
  end: 'mark',
  find: (everything, { id }) => everything.list({ kind, index: { name: index.name, key: id } }).items,
  wholeOf: part => index.keys(part as T)[0],
})
