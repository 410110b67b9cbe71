import type { ChangeSet, Controller, Engine, Index, Metrics, Sealer, Store, Tracing } from '@stead/engine'
import { type Duration, days } from '@stead/world'
import { auditRoutes } from './audit/api.ts'
import type { AuditedKind } from './audit/changes.ts'
import { teller } from './audit/deeds.ts'
import { auditIndexTable, auditTable } from './audit/model.ts'
import { Audit } from './audit/witness.ts'
import type { Authenticate } from './door/admission.ts'
import type { ConflictRule } from './door/conflicts.ts'
import type { Route } from './door/route.ts'
import { type Watchable, watchRoute } from './door/watch-route.ts'
import type { Witness } from './door/witness.ts'
import { eventsTable } from './events/model.ts'
import { eventsRoute, thePlace } from './events/route.ts'
import { Grant } from './identity/grants/model.ts'
import { Invitation } from './identity/invitations/model.ts'
import { Role } from './identity/roles/model.ts'
import {
  type Identity,
  type IdentityOptions,
  identity,
  identityControllers,
  identityIndexes,
  rightsKinds,
} from './identity/room.ts'
import { ServiceAccount } from './identity/service-accounts/model.ts'
import { Session } from './identity/sessions/model.ts'
import { Token } from './identity/tokens/model.ts'
import { User } from './identity/users/model.ts'
import type { Fetching } from './images/fetch.ts'
import { imageRoom } from './images/room.ts'
import { sweep } from './images/staging/sweep.ts'
import { imagesSeenBy } from './images/visible.ts'
import { instanceRoutes } from './instances/api.ts'
import { instanceRoom } from './instances/room.ts'
import { versionsUsed } from './instances/values/versions-used.ts'
import { networkRoom } from './networks/room.ts'
import { operationRoutes } from './operations/api.ts'
import { operationIndexTable, operationsTable, WatchedOperation } from './operations/model.ts'
import { Organization } from './organizations/model.ts'
import { Project } from './projects/model.ts'
import { quotaRoutes } from './quotas/api.ts'
import { quotaConflict } from './quotas/conflict.ts'
import { auditedQuota } from './quotas/model.ts'
import { QuotaVerifier } from './quotas/verifier.ts'
import { regionRoutes } from './regions/api.ts'
import { catalogRoutes } from './regions/catalog/api.ts'
import type { RegionCatalogs } from './regions/catalog/catalogs.ts'
import type { RegionClients } from './regions/clients.ts'
import { healthController } from './regions/health/controller.ts'
import { Region } from './regions/model.ts'
import { forgetRemoved } from './regions/upkeep.ts'
import { regionWhole } from './regions/whole.ts'
import { secretRoom } from './secrets/room.ts'
import { serving } from './servers/room.ts'
import { openStreams, streamControllers } from './streams/room.ts'
import { systemRoute } from './system/api.ts'
import type { ProgramVersion } from './system/model.ts'
import { teardownController } from './teardown/controller.ts'
import type { Part } from './teardown/model.ts'
import { forgetMeasured, sweepMeasured } from './usage/forget.ts'
import { usageRoom } from './usage/room.ts'
import { webhookRoom } from './webhooks/room.ts'

/** What machines are attached to. A room whose things are attached to them adds its parts here. */
const networking = networkRoom(instanceRoom.attached)

/** What machines are made of. A room whose things are made of images adds its part here. */
const images = imageRoom({ ofImages: instanceRoom.attached.toImages })

/** What is kept for whatever runs, and shown to nobody. */
const secrets = secretRoom({ toSecrets: instanceRoom.attached.toSecrets, versionsUsed })

/** What is in projects, in the order in which it ends with them: each room that puts something there adds it here. */
const inProjects: readonly Part[] = [
  ...instanceRoom.inProjects,
  ...networking.inProjects,
  ...images.inProjects,
  ...secrets.inProjects,
  ...webhookRoom.inProjects,
]

/** What is in regions, and stands in the way of their end: see `inRegion`. */
const inRegions: readonly Part[] = [
  ...instanceRoom.inRegions,
  ...serving.inRegions,
  ...networking.inRegions,
  ...images.inRegions,
]
const theRegion = regionWhole(inRegions)

/** What people make in a project: each room adds its kinds. It can be watched, and changes of it are told. */
const ofProjects = [
  Project,
  Grant,
  ...networking.kinds,
  ...images.kinds,
  ...secrets.kinds,
  ...instanceRoom.kinds,
  ...webhookRoom.kinds,
] as unknown as readonly Watchable[]
/** What people make in an organization. */
const ofOrganizations = [Organization, ServiceAccount, Token, Role, ...ofProjects] as unknown as readonly Watchable[]
/** What can be watched besides, and is told of with what it is about. */
const alsoWatched = [WatchedOperation] as unknown as readonly Watchable[]

/** What is told of objects in the audit log: each room adds its kinds. One that is not here is changed without a word on how. */
const audited = [
  ...ofOrganizations,
  User,
  Session,
  Invitation,
  Region,
  ...serving.audited,
  auditedQuota,
] as unknown as readonly AuditedKind[]

/** How long records are kept. */
export const recordRetention = ({
  audit = days(400),
  events = days(30),
  operations = days(30),
} = {}): Readonly<Record<string, Duration>> => ({
  [auditTable]: audit,
  [auditIndexTable]: audit,
  [eventsTable]: events,
  ...Object.fromEntries(webhookRoom.tables.map(table => [table, events])),
  [operationsTable]: operations,
  [operationIndexTable]: operations,
  ...serving.retention,
})

/** How long measurements are kept, by track. */
export const seriesRetention = usageRoom.retention

/** What is outside the rooms, and how they reach it. */
export interface Surroundings {
  readonly store: Store
  readonly sealer: Sealer
  /** The way to every backend. */
  readonly clients: RegionClients
  /** What the backends offer, as this node knows it. */
  readonly catalogs: RegionCatalogs
  /** How contents of images come here. */
  readonly fetching: Fetching
  /** Where controllers count what they see; nobody sees it unless said. */
  readonly metrics?: Metrics
  /** Only where traces are recorded. */
  readonly tracing?: Tracing | undefined
  /** How often what runs is measured; every 15 s unless said. */
  readonly measureEvery?: Duration
}

/** Everything the engine is started with. */
export const roomControllers = (around: Surroundings): readonly Controller[] => {
  const { catalogs, clients, fetching } = around
  const tell = teller(audited)
  return [
    ...identityControllers(inProjects, tell),
    ...networking.controllers({ clients, tell }),
    ...instanceRoom.controllers(around),
    ...serving.controllers(around),
    ...images.controllers({ clients, tell }, fetching),
    ...secrets.controllers(tell),
    ...usageRoom.controllers({ ...around, ...(around.measureEvery && { interval: around.measureEvery }) }),
    ...webhookRoom.controllers({ ...around, take: fetching.take, tell, kinds: ofProjects.map(({ kind }) => kind) }),
    teardownController(theRegion, tell),
    healthController(catalogs),
    ...streamControllers(tell),
  ]
}
export const roomIndexes: readonly Index[] = [
  ...identityIndexes,
  ...networking.indexes,
  ...images.indexes,
  ...serving.indexes,
  ...instanceRoom.indexes,
]

export interface RoomOptions
  extends Surroundings,
    Omit<IdentityOptions, 'inProjects' | 'everything' | 'store' | 'commit'> {
  readonly engine: Pick<Engine, 'cache' | 'commit' | 'describe'>
  readonly metrics: Metrics
  /** Of the program they are part of. */
  readonly version: ProgramVersion
}

export interface Rooms {
  /** The whole table: what is not in it is not served. */
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** Kinds of objects that rights depend on. */
  readonly rightsKinds: readonly string[]
  /** What conflicts mean on every route. */
  readonly conflicts: readonly ConflictRule[]
  /** Who writes down what is done. */
  readonly witness: Witness
  readonly identity: Identity
  close(): Promise<void>
}

/** Puts the rooms together, behind one door. */
export function openRooms(options: RoomOptions): Rooms {
  const { engine, store, sealer, clients, catalogs, fetching, world, metrics, log, version } = options
  const everything = engine.cache.platform()
  const commit = (set: ChangeSet) => engine.commit(set)
  const opened = identity({ ...options, everything, commit, inProjects })
  const audit = new Audit({ everything, kinds: audited, commit, world, log, metrics })
  const { recall } = opened
  const streams = openStreams({ store, sealer, clients, cache: engine.cache, recall, world, log })
  const verifier = new QuotaVerifier({ engine, store, world, metrics, log })
  verifier.start()
  const sweeping = new AbortController()
  const swept = sweep({ ...fetching, store, cache: engine.cache }, sweeping.signal).catch((error: unknown) => {
    if (!sweeping.signal.aborted) log.warn({ error }, 'what is left of images that are gone could not be removed')
  })
  const sweptMeasured = sweepMeasured({ store, cache: engine.cache }, sweeping.signal).catch((error: unknown) => {
    if (!sweeping.signal.aborted)
      log.warn({ error }, 'what was measured of instances that are gone could not be removed')
  })
  const stopForgetting = [
    forgetRemoved(engine.cache, { clients, catalogs }),
    forgetMeasured(engine.cache, store.series),
  ]
  return {
    routes: [
      ...opened.routes,
      ...quotaRoutes({ store, verifier }),
      ...serving.routes({ catalogs }),
      ...auditRoutes(store),
      ...regionRoutes({ whole: theRegion, clients, catalogs, sealer }),
      ...catalogRoutes(catalogs, imagesSeenBy),
      ...networking.routes({ clients, sealer, store }),
      ...images.routes({ clients, store, fetching }),
      ...secrets.routes({ sealer, store }),
      eventsRoute({
        path: '/v1/regions/:region/events',
        scope: 'platform',
        permission: 'regions:read',
        target: { kind: Region.kind },
        store,
      }),
      ...operationRoutes(store),
      ...webhookRoom.routes({ store, sealer, told: ofProjects }),
      ...usageRoom.routes({ clients, cache: engine.cache, store, world }),
      ...instanceRoutes({ store, sealer, catalogs, cache: engine.cache, clients }),
      ...streams.routes,
      systemRoute({ engine, store, version }),
      eventsRoute({
        path: '/v1/organizations/:organization/events',
        scope: 'organization',
        permission: 'organizations:read',
        target: thePlace('organization'),
        store,
      }),
      eventsRoute({
        path: '/v1/projects/:project/events',
        scope: 'project',
        permission: 'projects:read',
        target: thePlace('project'),
        store,
      }),
      watchRoute({
        path: '/v1/organizations/:organization/watch',
        scope: 'organization',
        permission: 'organizations:read',
        kinds: [...ofOrganizations, ...alsoWatched],
      }),
      watchRoute({
        path: '/v1/projects/:project/watch',
        scope: 'project',
        permission: 'projects:read',
        kinds: [...ofProjects, ...alsoWatched],
      }),
    ],
    authenticate: opened.authenticate,
    rightsKinds,
    conflicts: [quotaConflict],
    witness: audit,
    identity: opened,
    async close() {
      for (const stop of stopForgetting) stop()
      catalogs.close()
      sweeping.abort()
      await Promise.all([swept, sweptMeasured, opened.close(), streams.close(), verifier.stop(), audit.close()])
    },
  }
}
