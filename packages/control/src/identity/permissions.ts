/**
 * Every permission there is: `noun:verb`. A route names one of these; a role is a set of them.
 * `<noun>:read` is what makes a noun exist for somebody: who lacks it is told that there is no such thing.
 */
export const permissions = [
  'organizations:read',
  'organizations:create',
  'organizations:update',
  'organizations:delete',
  'projects:read',
  'projects:create',
  'projects:update',
  'projects:delete',
  'users:read',
  'users:create',
  'users:update',
  'users:delete',
  'service-accounts:read',
  'service-accounts:create',
  'service-accounts:update',
  'service-accounts:delete',
  'tokens:read',
  'tokens:create',
  'tokens:delete',
  'roles:read',
  'roles:create',
  'roles:update',
  'roles:delete',
  'grants:read',
  'grants:create',
  'grants:delete',
  'quotas:read',
  // Limits of projects. An organization's own limits are `quotas:limit`: who administers it must not be able to raise them.
  'quotas:update',
  'quotas:limit',
  // Everybody sees the regions that their organizations may use; on the platform this is about all of them.
  'regions:read',
  'regions:create',
  'regions:update',
  'regions:delete',
  'networks:read',
  'networks:create',
  'networks:update',
  'networks:delete',
  'security-groups:read',
  'security-groups:create',
  'security-groups:update',
  'security-groups:delete',
  'ssh-authorities:read',
  'ssh-authorities:create',
  'ssh-authorities:update',
  'ssh-authorities:delete',
  'images:read',
  'images:create',
  'images:update',
  'images:delete',
  // What there is of them, never a value.
  'secrets:read',
  'secrets:create',
  'secrets:update',
  'secrets:delete',
  // A value, read back. It is told in the audit log.
  'secrets:reveal',
  'operations:read',
  'instances:read',
  'instances:create',
  'instances:update',
  'instances:delete',
  'instances:power',
  'instances:logs',
  // Taking what is in a region already: what names the project, or whatever an operator of regions says.
  'instances:adopt',
  'instances:exec',
  'instances:console',
  // What is written and not shown again: user data.
  'instances:credentials',
  'instances:snapshot',
  // Held by the platform alone: whoever is suspended must not lift it.
  'instances:suspend',
  'webhooks:read',
  'webhooks:create',
  'webhooks:update',
  'webhooks:delete',
  'audit:read',
  'system:read',
  'system:update',
] as const

export type Permission = (typeof permissions)[number]

const known: ReadonlySet<string> = new Set(permissions)

export const isPermission = (text: string): text is Permission => known.has(text)
