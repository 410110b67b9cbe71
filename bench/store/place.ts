import { openPostgresStore, openSqliteStore, type Store } from '@stead/engine'
import type { World } from '@stead/world'

export interface SqlitePlace {
  readonly type: 'sqlite'
  readonly directory: string
}

export interface PostgresPlace {
  readonly type: 'postgresql'
  readonly url: string
}

/** Where a store is, as plain data: a process of its own can be told. */
export type Place = SqlitePlace | PostgresPlace

export const openStore = (world: World, place: Place): Promise<Store> =>
  place.type === 'sqlite'
    ? openSqliteStore({ directory: place.directory, world })
    : openPostgresStore({ url: place.url, world })
