import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sealer, SealKey, type Store } from '@stead/engine'
import type { ProviderDefinition } from '@stead/provider-kit'
import type { World } from '@stead/world'
import type { Fetching } from '../images/fetch.ts'
import { FileStaging } from '../images/staging/file-staging.ts'
import { outgoingStreams } from '../outgoing/client.ts'
import { RegionCatalogs } from '../regions/catalog/catalogs.ts'
import { RegionClients } from '../regions/clients.ts'
import type { Surroundings } from '../rooms.ts'

/** One key for all tests: houses that share a store open what the others sealed. */
const key = new SealKey(Buffer.alloc(32, 7))

/** No name leads anywhere: tests ask nobody outside. */
const nowhere = async () => []

export interface SurroundingOptions extends Partial<Omit<Fetching, 'staging'>> {
  /** None unless said. */
  readonly providers?: readonly ProviderDefinition[]
  /** A directory; where nothing is staged it is never made. */
  readonly staging?: string
}

/** What rooms have around them in a test. */
export function surroundings(
  store: Store,
  world: World,
  { providers = [], staging = join(tmpdir(), 'stead-test-no-staging'), ...fetching }: SurroundingOptions = {},
): Surroundings {
  const sealer = new Sealer(world, key)
  const clients = new RegionClients({ providers, store, sealer, world })
  return {
    store,
    sealer,
    clients,
    catalogs: new RegionCatalogs({ clients, world }),
    fetching: {
      staging: new FileStaging(staging, world),
      take: outgoingStreams({ world, resolve: nowhere }),
      limitBytes: 1_000_000,
      world,
      ...fetching,
    },
  }
}
