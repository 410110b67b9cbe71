import { join } from 'node:path'
import {
  auditRecords,
  FileStaging,
  firstStart,
  outgoingStreams,
  RegionCatalogs,
  RegionClients,
  type Registering,
  recordRetention,
  resetAdminToken,
  roomControllers,
  roomIndexes,
  type Surroundings,
} from '@stead/control'
import { type ChangeSet, createMetrics, type Engine, openSealer, type Store, startEngine } from '@stead/engine'
import type { World } from '@stead/world'
import type { Logger } from 'pino'
import { openAdminSocket } from './admin/server.ts'
import { AdminTokenFile } from './admin-token.ts'
import type { Configuration } from './configuration/index.ts'
import { openDataDirectory } from './data-directory.ts'
import { openFrontDoor } from './front-door.ts'
import { listen } from './http/server.ts'
import { type Part, Parts } from './parts.ts'
import { measureProcess } from './process-metrics.ts'
import { type Detector, detectors, registerFound } from './regions/detect.ts'
import { openStore } from './store.ts'
import type { Version } from './version.ts'

export interface ServeOptions {
  readonly configuration: Configuration
  readonly version: Version
  readonly world: World
  readonly log: Logger
}

export interface Serving {
  readonly url: string
  /** The admin token, if this start made it. */
  readonly firstToken: { readonly token: string; readonly path: string } | undefined
  /** Resolves with the reason if it can never serve again. */
  readonly failed: Promise<Error>
  /** Stops accepting, finishes what was begun, lets go of everything. */
  stop(): Promise<void>
}

/** Puts the running program together, each part on the ones before it. A part that fails to open closes the others again. */
export async function serve({ configuration, version, world, log }: ServeOptions): Promise<Serving> {
  const metrics = createMetrics()
  const parts = new Parts()
  try {
    openDataDirectory(configuration.data)
    parts.add(measureProcess(metrics, world))
    const { store, failed, backup } = await openStore(configuration, world, log)
    parts.add({ name: 'store', close: () => store.close() })
    tellIdentity(store, log)
    // A backup is of the store alone: the key stays beside it, and never goes along.
    const keyFile = join(configuration.data, 'seal.key')
    const sealer = await openSealer(store, { world, keyFile, ...configuration.sealKeys })
    const tokenFile = new AdminTokenFile(configuration.data)
    const adminToken = await firstStart({ store, world, keeper: tokenFile })
    const kinds = await detectors(configuration, world)
    const clients = new RegionClients({ providers: kinds.map(({ provider }) => provider), store, sealer, world })
    parts.add({ name: 'clients of regions', close: () => clients.close() })
    const catalogs = new RegionCatalogs({ clients, world, metrics })
    const surroundings = { store, sealer, clients, catalogs, fetching: fetchingOf(configuration, store, world) }
    const engine = startEngine({
      ...{
        store,
        world,
        metrics,
        log,
        controllers: roomControllers({ ...surroundings, metrics }),
        indexes: roomIndexes,
      },
      retention: { records: recordRetention({ audit: configuration.auditRetention }) },
    })
    parts.add(enginePart(engine))
    const door = await openFrontDoor({ configuration, engine, ...surroundings, world, metrics, log, version }, parts)
    const commands = {
      resume: () => engine.resume(),
      backup: ({ path }: { path?: unknown }) => backup(String(path)),
      async 'reset-token'() {
        await engine.loaded
        const commit = (set: ChangeSet) => engine.commit({ ...set, records: [...set.records, ...tokenReset] })
        const token = await resetAdminToken({ everything: engine.cache.platform(), world, commit })
        tokenFile.write(token)
        return { token }
      },
    }
    parts.add(await openAdminSocket({ data: configuration.data, log, commands }))
    const { url, part } = await listen({ configuration, log, world, metrics, parts, version, door })
    parts.add(part)
    // It listens while it loads, so that whoever asks is told why it is not ready; it is said to serve once it can.
    await Promise.race([engine.loaded.then(() => lookAround(kinds, engine, { clients, sealer, world, log })), failed])
    const firstToken = adminToken === undefined ? undefined : { token: adminToken, path: tokenFile.path }
    return { url, firstToken, failed, stop: () => parts.close() }
  } catch (error) {
    await parts.close()
    throw error
  }
}

/** How images come: through the guarded way out, to where they are staged. */
const fetchingOf = (
  { staging, imageLimit: limitBytes, outgoingAllow: allow }: Configuration,
  { identity }: Store,
  world: World,
): Surroundings['fetching'] => ({
  // Of each store its own: what is staged for nobody is removed, and others' images are nobody here.
  ...{
    staging: new FileStaging(join(staging, identity.storeId), world),
    take: outgoingStreams({ world, allow }),
    limitBytes,
    world,
  },
})

/** What the audit log says of it: whoever can reach the socket owns the machine. */
const tokenReset = auditRecords({
  actor: { id: 'system', type: 'operator', name: 'operator' },
  action: 'tokens:create',
  request: 'stead admin reset-token',
  result: 'done',
  from: { address: 'local' },
  count: 1,
})

/** Registers regions for what there is here. */
function lookAround(
  kinds: readonly Detector[],
  engine: Engine,
  surroundings: Omit<Registering, 'everything' | 'commit'> & { readonly log: Logger },
): Promise<void> {
  return registerFound(kinds, {
    everything: engine.cache.platform(),
    commit: set => engine.commit(set),
    ...surroundings,
  })
}

const enginePart = (engine: Engine): Part => ({
  name: 'engine',
  problem() {
    const { ready, reasons } = engine.ready()
    return ready ? undefined : reasons.join('; ')
  },
  close: () => engine.stop(),
})

/** A restored or copied store must not act on what another one may still own: whoever starts it has to know. */
function tellIdentity({ identity }: Store, log: Logger): void {
  log.info(identity, 'store opened')
  if (identity.observeOnly)
    log.warn('this store was restored or copied: Stead only observes and changes nothing outside until `stead resume`')
}
