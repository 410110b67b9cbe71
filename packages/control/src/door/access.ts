import type { ReadCache } from '@stead/engine'
import { fail, type Problem } from '../errors/problem.ts'
import type { Caller, Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import type { Requirement, Scope } from './route.ts'

type Places = Pick<ReadCache, 'platform' | 'inOrganization'>

const platform: Place = { type: 'platform' }

/** The place a path speaks of, if there is one. Whether the caller may know of it is another question. */
export function placeOf(cache: Places, scope: Scope, text: string): Place | undefined {
  if (scope === 'platform') return platform
  return scope === 'organization' ? organization(cache, text) : project(cache, text)
}

function organization(cache: Places, text: string): Place | undefined {
  const everything = cache.platform()
  const found =
    everything.get('organization', text) ??
    everything.list({ kind: 'organization', name: text.toLowerCase(), limit: 1 }).items[0]
  return found && { type: 'organization', organizationId: found.id }
}

function project(cache: Places, text: string): Place | undefined {
  const byId = cache.platform().get('project', text)
  if (byId) return { type: 'project', organizationId: byId.organizationId!, projectId: byId.id }
  const [inOrganization, name, ...rest] = text.split('/')
  if (!inOrganization || !name || rest.length > 0) return undefined
  const owner = organization(cache, inOrganization)
  if (owner?.type !== 'organization') return undefined
  const named = { kind: 'project', name: name.toLowerCase(), limit: 1 }
  const found = cache.inOrganization(owner.organizationId).list(named).items[0]
  return found && { type: 'project', organizationId: owner.organizationId, projectId: found.id }
}

/** The id of an organization or project, as a path would name it. */
export const placeId = (place: Place): string =>
  place.type === 'project' ? place.projectId : place.type === 'organization' ? place.organizationId : 'platform'

/** Seeing a place at all, where a route asks for no more than a caller. */
const visibility = { organization: 'organizations:read', project: 'projects:read' } as const

export interface Question {
  readonly caller: Caller
  readonly permission: Requirement
  readonly scope: Scope
  /** What the path says, for the answer. */
  readonly text: string
  readonly place: Place | undefined
}

/**
 * Why a caller may not, if so. What may not be read does not exist: it gets the answer that nothing gets. Only who may
 * read is told which permission is missing. The platform itself is no secret: there the answer is always the
 * permission.
 */
export function refusal({ caller, permission, scope, text, place }: Question): Problem | undefined {
  if (permission === 'public') return undefined
  if (scope === 'platform') {
    if (permission === 'authenticated' || caller.may(permission, platform)) return undefined
    return missing(permission)
  }
  const needed = permission === 'authenticated' ? visibility[scope] : permission
  if (place && caller.may(needed, place)) return undefined
  if (place && permission !== 'authenticated' && caller.may(readOf(permission), place)) return missing(permission)
  return fail('not_found', `there is no ${scope} ${JSON.stringify(text)} where you may do this`)
}

/** `widgets:create` is about widgets, and `widgets:read` is what makes them exist for somebody. */
export const readOf = (permission: Permission): Permission => `${permission.split(':', 1)[0]}:read` as Permission

const missing = (permission: Permission) =>
  fail('forbidden', `this needs the permission ${permission}`, { extensions: { permission } })
