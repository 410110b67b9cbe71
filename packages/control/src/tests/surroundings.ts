import { Sealer, SealKey, type Store } from '@stead/engine'
import type { ProviderDefinition } from '@stead/provider-kit'
import type { World } from '@stead/world'
import { RegionCatalogs } from '../regions/catalog/catalogs.ts'
import { RegionClients } from '../regions/clients.ts'
import type { Surroundings } from '../rooms.ts'

/** One key for all tests: houses that share a store open what the others sealed. */
const key = new SealKey(Buffer.alloc(32, 7))

/** What rooms have around them in a test. */
export function surroundings(store: Store, world: World, providers: readonly ProviderDefinition[] = []): Surroundings {
  const sealer = new Sealer(world, key)
  const clients = new RegionClients({ providers, store, sealer, world })
  return { store, sealer, clients, catalogs: new RegionCatalogs({ clients, world }) }
}
