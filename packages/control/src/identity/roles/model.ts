import type { BaseStatus, StoredObject } from '@stead/engine'
import type { Static } from 'typebox'
import { resource } from '../../resource/resource.ts'
import { Type } from '../../schema/type.ts'
import { ShownEndingStatus } from '../../teardown/model.ts'
import { type Permission, permissions } from '../permissions.ts'

const RoleSpec = Type.Object({
  purpose: Type.Optional(Type.String({ maxLength: 500, description: 'What it is for.' })),
  permissions: Type.Array(Type.Enum([...permissions]), { minItems: 1, maxItems: 500, uniqueItems: true }),
})

/** A named set of permissions that an organization made for itself. */
export const Role = resource('role', 'role', RoleSpec, ShownEndingStatus)
export type Role = StoredObject<Static<typeof RoleSpec>, BaseStatus>

export const roleName = (organizationId: string, name: string): string => `role-name/${organizationId}/${name}`

const sets = new WeakMap<Role, ReadonlySet<Permission>>()

/** Made once for each version of a role: rights are asked for with each request. */
export function permissionsIn(role: Role): ReadonlySet<Permission> {
  let set = sets.get(role)
  if (!set) {
    set = new Set(role.spec.permissions as readonly Permission[])
    sets.set(role, set)
  }
  return set
}
