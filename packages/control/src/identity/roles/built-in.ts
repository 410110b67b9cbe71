import type { Place } from '../caller.ts'
import { type Permission, permissions } from '../permissions.ts'

/** A role that every installation has. It is known by its name and cannot be changed. */
export interface BuiltInRole {
  readonly name: string
  /** What it is for, in one sentence. */
  readonly purpose: string
  /** Where it may be given. */
  readonly givenOn: readonly Place['type'][]
  readonly permissions: ReadonlySet<Permission>
}

const role = (name: string, { permissions, ...rest }: Omit<BuiltInRole, 'name' | 'permissions'> & Listed) => ({
  name,
  ...rest,
  permissions: new Set(permissions),
})

interface Listed {
  readonly permissions: readonly Permission[]
}

/** What there is, but not who may do what with it. */
const reading: readonly Permission[] = [
  'organizations:read',
  'projects:read',
  'quotas:read',
  'regions:read',
  'operations:read',
  'networks:read',
  'security-groups:read',
  'ssh-authorities:read',
  'images:read',
  'secrets:read',
  'instances:read',
  'webhooks:read',
]

/** Making, changing and ending what a project has. */
const making: readonly Permission[] = [
  'networks:create',
  'networks:update',
  'networks:delete',
  'security-groups:create',
  'security-groups:update',
  'security-groups:delete',
  'ssh-authorities:create',
  'ssh-authorities:update',
  'ssh-authorities:delete',
  'images:create',
  'images:update',
  'images:delete',
  'secrets:create',
  'secrets:update',
  'secrets:delete',
  'instances:create',
  'instances:update',
  'instances:delete',
  'instances:power',
  'instances:logs',
  'instances:exec',
  'instances:console',
  'instances:credentials',
  'instances:snapshot',
  'webhooks:create',
  'webhooks:update',
  'webhooks:delete',
]

/** Who may do what. */
const readingIdentity: readonly Permission[] = [
  'users:read',
  'service-accounts:read',
  'tokens:read',
  'roles:read',
  'grants:read',
]

/** What is decided about an organization, not in it: held by the platform alone. */
const ofPlatform: ReadonlySet<Permission> = new Set<Permission>([
  'organizations:create',
  'organizations:delete',
  'quotas:limit',
  'instances:suspend',
  'regions:create',
  'regions:update',
  'regions:delete',
  'system:read',
  'system:update',
])

export const builtInRoles: readonly BuiltInRole[] = [
  role('platform-admin', {
    purpose: 'Runs the installation: may do everything, everywhere.',
    givenOn: ['platform'],
    permissions,
  }),
  role('org-admin', {
    purpose: 'Runs an organization: its projects, people, roles and project limits, but not its own limits or its end.',
    givenOn: ['organization'],
    permissions: permissions.filter(permission => !ofPlatform.has(permission)),
  }),
  role('project-admin', {
    purpose: 'Runs a project: everything in it, who may do what there, and its end, but not its limits.',
    givenOn: ['organization', 'project'],
    permissions: [
      ...reading,
      ...making,
      'secrets:reveal',
      'instances:adopt',
      'projects:update',
      'projects:delete',
      'users:read',
      'service-accounts:read',
      'roles:read',
      'grants:read',
      'grants:create',
      'grants:delete',
    ],
  }),
  role('operator', {
    purpose: 'Keeps what is there running, and neither makes nor ends it.',
    givenOn: ['platform', 'organization', 'project'],
    permissions: [...reading, 'instances:power', 'instances:logs'],
  }),
  role('developer', {
    purpose: 'Makes, changes and ends what runs in a project, and decides nothing about people or limits.',
    givenOn: ['platform', 'organization', 'project'],
    permissions: [...reading, ...making],
  }),
  role('reader', {
    purpose: 'Sees what is there, and neither secrets nor who may do what.',
    givenOn: ['platform', 'organization', 'project'],
    permissions: reading,
  }),
  role('auditor', {
    purpose: 'Sees everything but secrets, with who may do what and who did what, and changes nothing.',
    givenOn: ['platform', 'organization', 'project'],
    permissions: [...reading, ...readingIdentity, 'audit:read', 'system:read'],
  }),
]

const byName = new Map(builtInRoles.map(role => [role.name, role]))

export const builtInRole = (name: string): BuiltInRole | undefined => byName.get(name)
