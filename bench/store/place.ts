import { openSqliteStore, type Store } from '@stead/engine'
import type { World } from '@stead/world'

/** Where a store is, as plain data: a process of its own can be told. */
export type Place = { readonly type: 'sqlite'; readonly directory: string }

export const openStore = (world: World, place: Place): Promise<Store> =>
  openSqliteStore({ directory: place.directory, world })
