import type { View } from '@stead/engine'
import { find } from '../../door/find.ts'
import { fail } from '../../errors/index.ts'
import { Project } from '../../projects/model.ts'
import type { Caller, Place } from '../caller.ts'
import { isActive, type Principal, principalOf } from '../principals.ts'
import { grantsOf } from '../rights.ts'
import { builtInRole } from '../roles/built-in.ts'
import { Role } from '../roles/model.ts'
import { ServiceAccount } from '../service-accounts/model.ts'
import { User, usersByEmail } from '../users/model.ts'
import { placeOf } from './model.ts'

/** What the caller sees of the world when they speak of principals, roles and projects. */
export interface Resolving {
  readonly everything: View
  readonly caller: Caller
  /** The organization or project of the path, or the platform. */
  readonly place: Place
}

const viewOf = ({ everything, place }: Resolving): View =>
  place.type === 'platform' ? everything : everything.within({ organization: place.organizationId })

/**
 * A role by its name, or by the id of one of the organization's own, for use at a place.
 * Answers how it is named in a grant, and the object a grant then builds on.
 */
export function resolveRole(resolving: Resolving, text: string): { readonly role: string; readonly object?: Role } {
  const { place } = resolving
  const builtIn = builtInRole(text)
  if (builtIn) {
    if (builtIn.givenOn.includes(place.type)) return { role: builtIn.name }
    const places = builtIn.givenOn.join(', or on ')
    throw fail('invalid', `${builtIn.name} is given on ${places}, not on a ${place.type}`, {
      errors: [{ path: '/role', message: `is not given on a ${place.type}` }],
    })
  }
  if (place.type === 'platform') throw fail('not_found', `there is no role ${JSON.stringify(text)} on the platform`)
  const object = find(viewOf(resolving), Role.kind, text)
  return { role: object.id, object }
}

/**
 * A principal by its id, a service account by its name too, a user by email too. A person who is nobody here does not
 * exist for those who administer an organization: else they could ask who has an account. Such people are invited.
 */
export function resolvePrincipal(resolving: Resolving, text: string): Principal {
  const { everything } = resolving
  const found = text.includes('@')
    ? everything.list({ kind: User.kind, index: { name: usersByEmail.name, key: text.toLowerCase() } }).items[0]
    : (principalOf(everything, text) ?? named(resolving, text))
  if (found && isActive(found) && isKnownHere(resolving, found)) return found
  throw fail('not_found', `there is no principal ${JSON.stringify(text)} here`)
}

const named = (resolving: Resolving, name: string): ServiceAccount | undefined =>
  viewOf(resolving)
    .list({ kind: ServiceAccount.kind, name: name.toLowerCase() })
    .items.find(({ organizationId }) => organizationId === organizationOf(resolving.place))

const organizationOf = (place: Place) => (place.type === 'platform' ? undefined : place.organizationId)

/** A service account is known in its own organization, and one of the platform to the platform; a user where they hold something. */
function isKnownHere({ everything, caller, place }: Resolving, principal: Principal): boolean {
  if (principal.kind === ServiceAccount.kind) {
    const isOwn = principal.organizationId === organizationOf(place)
    return (
      isOwn || (principal.organizationId === undefined && caller.may('service-accounts:read', { type: 'platform' }))
    )
  }
  return caller.may('users:read', { type: 'platform' }) || isMember(everything, principal.id, place)
}

/** Whether somebody holds anything in an organization. */
export const isMember = (everything: View, principalId: string, place: Place): boolean =>
  grantsOf(everything, principalId).some(
    grant => grant.organizationId !== undefined && grant.organizationId === organizationOf(place),
  )

/** A project of the organization, by id or name. */
export function resolveProject(resolving: Resolving, text: string): Extract<Place, { type: 'project' }> {
  const project = find(viewOf(resolving), Project.kind, text)
  return placeOf(project) as Extract<Place, { type: 'project' }>
}
