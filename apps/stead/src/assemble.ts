import { join } from 'node:path'
import {
  auditRecords,
  FileStaging,
  findingsIn,
  firstStart,
  outgoingStreams,
  RegionCatalogs,
  RegionClients,
  recordRetention,
  resetAdminToken,
  roomControllers,
  roomIndexes,
  type Surroundings,
  schemaCompiler,
  seriesRetention,
  traceCommits,
  traceOf,
} from '@stead/control'
import {
  type ChangeSet,
  createMetrics,
  type Engine,
  type Metrics,
  measureCommits,
  openSealer,
  type Store,
  startEngine,
} from '@stead/engine'
import { newId, type World } from '@stead/world'
import { openAdminSocket } from './admin/server.ts'
import { AdminTokenFile } from './admin-token.ts'
import type { Configuration } from './configuration/index.ts'
import { openFrontDoor } from './front-door.ts'
import { listen } from './http/server.ts'
import { tellObserving } from './observing.ts'
import { type Part, Parts } from './parts.ts'
import { measureProcess } from './process-metrics.ts'
import { detectors, lookAround, registerFound } from './regions/detect.ts'
import type { ServeOptions, Serving } from './serve.ts'
import type { OpenedStore } from './store.ts'
import { traceMetrics } from './traces/metrics.ts'

/** Puts the running program together, each part on the ones before it. A part that fails to open closes the others again. */
export async function assemble(
  options: ServeOptions,
  { store: opened, failed, backup }: OpenedStore,
): Promise<Serving> {
  const { configuration, version, world, log } = options
  const metrics = createMetrics()
  const parts = new Parts()
  try {
    parts.add({ name: 'store', close: () => opened.close() })
    parts.add(measureProcess(metrics, world))
    const nodeId = newId(world, 'node')
    const traces = await tracesOf({ configuration, version, nodeId, world, log, metrics })
    if (traces) parts.add(traces.part)
    const tracing = traces?.tracing
    const measured = measureCommits(opened, metrics, world)
    const database = configuration.database ? 'postgresql' : 'sqlite'
    const store = tracing ? traceCommits(measured, database, tracing) : measured
    // A backup is of the store alone: the key stays beside it, and never goes along.
    const keyFile = join(configuration.data, 'seal.key')
    const sealer = await openSealer(store, { world, keyFile, ...configuration.sealKeys })
    const tokenFile = new AdminTokenFile(configuration.data)
    const adminToken = await firstStart({ store, world, keeper: tokenFile })
    const kinds = await detectors(configuration, world)
    const clients = new RegionClients({
      providers: kinds.map(({ provider }) => provider),
      store,
      sealer,
      world,
      metrics,
      tracing,
    })
    parts.add({ name: 'clients of regions', close: () => clients.close() })
    const catalogs = new RegionCatalogs({ clients, world, metrics })
    const fetching = fetchingOf(configuration, store, world)
    const surroundings = { store, sealer, clients, catalogs, fetching, tracing }
    const engine = startEngine({
      ...{
        store,
        world,
        metrics,
        log,
        nodeId,
        tracing: tracing && { tracing, of: traceOf },
        controllers: roomControllers({ ...surroundings, metrics, measureEvery: configuration.metricsInterval }),
        indexes: roomIndexes,
      },
      retention: { records: recordRetention({ audit: configuration.auditRetention }), series: seriesRetention },
    })
    parts.add(enginePart(engine))
    // While the engine loads: to look takes other processes, and a process that has loaded much takes longer to start one.
    const looks = lookAround(kinds, world, log)
    parts.add(tellObserving({ store, engine, world, log }))
    const door = await openFrontDoor({ configuration, engine, ...surroundings, world, metrics, log, version }, parts)
    let address: string | undefined
    const commands = {
      async resume() {
        const left = findingsIn(engine.cache.platform())
        await engine.resume()
        return { left }
      },
      // For those who use it on this machine: the port may be any.
      address: async () => ({ url: address }),
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
    const { url, part } = await listen({ configuration, world, metrics, parts, version, door })
    parts.add(part)
    address = url
    // It listens while it loads, so that whoever asks is told why it is not ready; it is said to serve once it can.
    const registering = { clients, sealer, world, log, everything: engine.cache.platform() }
    const commit = (set: ChangeSet) => engine.commit(set)
    await Promise.race([engine.loaded.then(() => registerFound(looks, { ...registering, commit })), failed])
    const firstToken = adminToken === undefined ? undefined : { token: adminToken, path: tokenFile.path }
    return { url, firstToken, failed, warmUp: schemaCompiler, stop: () => parts.close() }
  } catch (error) {
    await parts.close()
    throw error
  }
}

/** What records traces, if they are wanted: loaded then, and not otherwise. */
async function tracesOf(options: ServeOptions & { readonly nodeId: string; readonly metrics: Metrics }) {
  const { configuration, version, nodeId, world, log } = options
  const metrics = traceMetrics(options.metrics)
  if (!configuration.traces) return undefined
  const { openTraces } = await import('./traces/open.ts')
  const resource = {
    ...{ 'service.name': 'stead', 'service.version': version.version, 'service.instance.id': nodeId },
    ...configuration.traces.resource,
  }
  return openTraces({ ...configuration.traces, resource, version: version.version, world, log, metrics })
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

const enginePart = (engine: Engine): Part => ({
  name: 'engine',
  problem() {
    const { ready, reasons } = engine.ready()
    return ready ? undefined : reasons.join('; ')
  },
  close: () => engine.stop(),
})
