import { ConflictError, changeSet, type Store } from '@stead/engine'
import type { World } from '@stead/world'
import { Organization, organizationName } from '../../organizations/model.ts'
import { chargeProject } from '../../projects/charge.ts'
import { Project, projectName } from '../../projects/model.ts'
import { system } from '../caller.ts'
import { addAdmin, addAdminGrant, addAdminToken, draftAdmin } from './admin.ts'

/** Taken by the first start, for ever: nodes that start together on one store agree on who it was. */
const firstStartKey = 'first-start'

export interface FirstStart {
  readonly store: Pick<Store, 'keyHolder' | 'commit'>
  readonly world: World
  readonly keeper: TokenKeeper
}

/** Keeps the admin token outside the store, through a crash at any moment of the first start. */
export interface TokenKeeper {
  /** Told the token, and which start made it, before either is known to have happened. */
  propose(proposed: ProposedToken): void
  /** What was proposed and neither confirmed nor withdrawn. */
  proposed(): ProposedToken | undefined
  /** It happened: the token is the admin's. */
  confirm(token: string): void
  withdraw(): void
}

export interface ProposedToken {
  readonly token: string
  readonly startId: string
}

/**
 * Makes organization `default` with project `default` and the admin's token, once in the life of a store.
 * Answers the token if it was this process that did, even if it died before it could say so.
 */
export async function firstStart({ store, world, keeper }: FirstStart): Promise<string | undefined> {
  const startedBy = await store.keyHolder(firstStartKey)
  if (startedBy !== undefined) return settle(keeper, startedBy)
  const { set, token } = draftHouse(world)
  keeper.propose({ token, startId: set.id })
  try {
    await store.commit(set)
  } catch (error) {
    if (error instanceof ConflictError && error.conflict.type === 'key' && error.conflict.key === firstStartKey)
      return settle(keeper, error.conflict.heldBy!)
    throw error
  }
  keeper.confirm(token)
  return token
}

/** What was proposed counts if it was that start which happened. */
function settle(keeper: TokenKeeper, startedBy: string): string | undefined {
  const proposed = keeper.proposed()
  if (!proposed) return undefined
  if (proposed.startId === startedBy) {
    keeper.confirm(proposed.token)
    return proposed.token
  }
  keeper.withdraw()
  return undefined
}

function draftHouse(world: World) {
  const set = changeSet(world)
  const named = { world, caller: system, name: 'default', labels: {}, spec: {}, status: {} }
  const organization = Organization.draft({ ...named, place: { type: 'platform' } })
  const organizationId = organization.id
  const project = Project.draft({ ...named, place: { type: 'organization', organizationId } })
  set
    .take(firstStartKey, set.id)
    .create({ ...organization, organizationId })
    .take(organizationName(named.name), organizationId)
    .create({ ...project, projectId: project.id })
    .take(projectName(organizationId, named.name), project.id)
  chargeProject(set, { get: () => undefined }, project)
  const admin = draftAdmin(world, 'admin')
  addAdmin(set, admin)
  addAdminGrant(set, world, admin.id)
  const { text: token } = addAdminToken(set, world, admin)
  return { set, token }
}
