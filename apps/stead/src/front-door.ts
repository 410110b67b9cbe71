import { buildDoor, type Door, measureHouse, openRooms, replySealer, type Surroundings } from '@stead/control'
import type { Engine, MetricsRegistry } from '@stead/engine'
import type { World } from '@stead/world'
import type { Logger } from 'pino'
import type { Configuration } from './configuration/index.ts'
import { trustedProviders } from './identity-providers.ts'
import type { Parts } from './parts.ts'
import type { Version } from './version.ts'

export interface FrontDoorOptions extends Surroundings {
  readonly configuration: Configuration
  readonly engine: Engine
  readonly world: World
  readonly metrics: MetricsRegistry
  readonly log: Logger
  readonly version: Version
}

/** Opens every room, with the one door to them. */
export async function openFrontDoor(options: FrontDoorOptions, parts: Parts): Promise<Door> {
  const { configuration, engine, store, sealer, clients, catalogs, fetching, world, metrics, log, version } = options
  const isTls = configuration.tls !== undefined || configuration.behindProxy
  const providers = await trustedProviders(configuration, world)
  const rooms = openRooms({
    ...{ engine, store, sealer, clients, catalogs, fetching, world, metrics, log, version },
    ...{ isSecure: isTls, ...providers },
  })
  parts.add({ name: 'rooms', close: () => rooms.close() })
  measureHouse(metrics, engine.cache.platform(), () => world.now())
  const door = buildDoor({
    ...{
      ...rooms,
      world,
      log,
      metrics,
      isTls,
      tracing: options.tracing,
      sealer: replySealer(sealer),
      version: version.version,
    },
    publicUrl: configuration.publicUrl,
    engine: { cache: engine.cache, store, commit: (set, options) => engine.commit(set, options) },
  })
  parts.add({ name: 'door', close: () => door.close() })
  return door
}
