import type { Controller, Engine, Index } from '@stead/engine'
import type { Authenticate } from './door/admission.ts'
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

export interface RoomOptions extends Omit<IdentityOptions, 'inProjects' | 'everything' | 'commit'> {
  readonly engine: Pick<Engine, 'cache' | 'commit'>
}

export interface Rooms {
  /** The whole table: what is not in it is not served. */
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** Kinds of objects that rights depend on. */
  readonly rightsKinds: readonly string[]
  readonly identity: Identity
  close(): Promise<void>
}

/** Puts the rooms together, behind one door. */
export function openRooms(options: RoomOptions): Rooms {
  const { engine } = options
  const everything = engine.cache.platform()
  const opened = identity({ ...options, everything, commit: set => engine.commit(set), inProjects })
  return {
    routes: [
      ...opened.routes,
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
    identity: opened,
    close: () => opened.close(),
  }
}
