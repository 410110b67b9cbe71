import type { ChangeSet, Controller, Engine, Index, Metrics, Store } from '@stead/engine'
import type { Authenticate } from './door/admission.ts'
import type { ConflictRule } from './door/conflicts.ts'
import type { Route } from './door/route.ts'
import { type Watchable, watchRoute } from './door/watch-route.ts'
import { Grant } from './identity/grants/model.ts'
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
import { Token } from './identity/tokens/model.ts'
import { Organization } from './organizations/model.ts'
import { Project } from './projects/model.ts'
import { quotaRoutes } from './quotas/api.ts'
import { quotaConflict } from './quotas/conflict.ts'
import { QuotaVerifier } from './quotas/verifier.ts'
import type { Part } from './teardown/model.ts'

/** What is in projects, in the order in which it ends with them: each room that puts something there adds it here. */
const inProjects: readonly Part[] = []

/** What can be watched in a project: each room adds its kinds. */
const ofProjects = [Project, Grant] as unknown as readonly Watchable[]
/** What can be watched in an organization. */
const ofOrganizations = [Organization, ServiceAccount, Token, Role, ...ofProjects] as unknown as readonly Watchable[]

/** Everything the engine is started with. */
export const roomControllers: readonly Controller[] = identityControllers(inProjects)
export const roomIndexes: readonly Index[] = identityIndexes

export interface RoomOptions extends Omit<IdentityOptions, 'inProjects' | 'everything' | 'store' | 'commit'> {
  readonly engine: Pick<Engine, 'cache' | 'commit'>
  readonly store: Store
  readonly metrics: Metrics
}

export interface Rooms {
  /** The whole table: what is not in it is not served. */
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** Kinds of objects that rights depend on. */
  readonly rightsKinds: readonly string[]
  /** What conflicts mean on every route. */
  readonly conflicts: readonly ConflictRule[]
  readonly identity: Identity
  close(): Promise<void>
}

/** Puts the rooms together, behind one door. */
export function openRooms(options: RoomOptions): Rooms {
  const { engine, store, world, metrics, log } = options
  const everything = engine.cache.platform()
  const commit = (set: ChangeSet) => engine.commit(set)
  const opened = identity({ ...options, everything, commit, inProjects })
  const verifier = new QuotaVerifier({ engine, store, world, metrics, log })
  verifier.start()
  return {
    routes: [
      ...opened.routes,
      ...quotaRoutes({ store, verifier }),
      watchRoute({
        path: '/v1/organizations/:organization/watch',
        scope: 'organization',
        permission: 'organizations:read',
        kinds: ofOrganizations,
      }),
      watchRoute({
        path: '/v1/projects/:project/watch',
        scope: 'project',
        permission: 'projects:read',
        kinds: ofProjects,
      }),
    ],
    authenticate: opened.authenticate,
    rightsKinds,
    conflicts: [quotaConflict],
    identity: opened,
    async close() {
      await Promise.all([opened.close(), verifier.stop()])
    },
  }
}
