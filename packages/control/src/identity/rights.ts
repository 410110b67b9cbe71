import type { View } from '@stead/engine'
import type { Place } from './caller.ts'
import { Grant, grantsByPrincipal, type Held, placeOf } from './grants/model.ts'
import type { Permission } from './permissions.ts'
import { builtInRole } from './roles/built-in.ts'
import { permissionsIn, Role } from './roles/model.ts'

const nothing: ReadonlySet<Permission> = new Set()

/** Whether what is held at one place holds at another: on the platform for everything, on an organization for its projects. */
export function covers(held: Place, place: Place): boolean {
  if (held.type === 'platform') return true
  if (place.type === 'platform' || held.organizationId !== place.organizationId) return false
  return held.type === 'organization' || (place.type === 'project' && held.projectId === place.projectId)
}

/** What a role allows now. One that no longer exists, or is another organization's, allows nothing. */
export function permissionsOf(everything: View, { role, place }: Held): ReadonlySet<Permission> {
  const builtIn = builtInRole(role)
  if (builtIn) return builtIn.permissions
  const own = everything.get(Role.kind, role)
  const isTheirs = own && place.type !== 'platform' && own.organizationId === place.organizationId
  return isTheirs && own.deletedAt === undefined ? permissionsIn(own) : nothing
}

/** Every grant of a principal, through an index: as many steps as it has grants. */
export const grantsOf = (everything: View, principalId: string): readonly Grant[] =>
  everything.list({ kind: Grant.kind, index: { name: grantsByPrincipal.name, key: principalId } }).items

/** What a principal holds by grants. */
export const heldBy = (everything: View, principalId: string): readonly Held[] =>
  grantsOf(everything, principalId).map(grant => ({ role: grant.spec.role, place: placeOf(grant) }))

/** Whether any of these allow it there. */
export const allows = (everything: View, held: readonly Held[], permission: Permission, place: Place): boolean =>
  held.some(each => covers(each.place, place) && permissionsOf(everything, each).has(permission))
