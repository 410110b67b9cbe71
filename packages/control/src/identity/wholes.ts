import type { StoredObject } from '@stead/engine'
import { organizationWhole } from '../organizations/whole.ts'
import { Project } from '../projects/model.ts'
import { projectWhole } from '../projects/whole.ts'
import { quotas } from '../quotas/limits.ts'
import { type Part, whole } from '../teardown/model.ts'
import { inOrganization, inProject, ownedBy } from '../teardown/parts.ts'
import { Grant, grantKey, grantsByPrincipal, grantsByRole } from './grants/model.ts'
import { Invitation } from './invitations/model.ts'
import { passwordKind } from './passwords/model.ts'
import { Role, roleName } from './roles/model.ts'
import { ServiceAccount, serviceAccountName } from './service-accounts/model.ts'
import { Session } from './sessions/model.ts'
import { Token } from './tokens/model.ts'
import { User, userEmail, userSubject } from './users/model.ts'

const grants = { noun: Grant.noun, blocks: false, end: 'remove', keys: (grant: Grant) => [grantKey(grant)] } as const
const limits = { noun: 'quotas', blocks: false, end: 'remove' } as const
const tokens = { noun: Token.noun, blocks: false, end: 'remove' } as const

/** Grants that name something, by one of their indexes. */
const grantsNaming = ({ name }: { readonly name: string }, key: (grant: Grant) => string, blocks: boolean): Part => ({
  ...inOrganization(Grant.kind, { ...grants, blocks }),
  find: (everything, { id }) => everything.list({ kind: Grant.kind, index: { name, key: id } }).items,
  wholeOf: (grant: StoredObject) => key(grant as Grant),
})

const invitations = { noun: 'users', blocks: false, end: 'remove' } as const

const ofPrincipal = [ownedBy(Token.kind, tokens), grantsNaming(grantsByPrincipal, ({ spec }) => spec.principal, false)]

/** Everything of identity that ends with something else, and in which order. `inProjects` are the parts that other rooms put there. */
export function identityWholes(inProjects: readonly Part[]) {
  return {
    organization: organizationWhole([
      inOrganization(Project.kind, { noun: Project.noun, blocks: true, end: 'mark' }),
      inOrganization(ServiceAccount.kind, { noun: ServiceAccount.noun, blocks: true, end: 'mark' }),
      inOrganization(Token.kind, tokens),
      inOrganization(Invitation.kind, invitations),
      inOrganization(Grant.kind, grants),
      inOrganization(quotas, limits),
      inOrganization(Role.kind, {
        noun: Role.noun,
        blocks: false,
        end: 'remove',
        keys: ({ organizationId, name }) => [roleName(organizationId!, name!)],
      }),
    ]),
    project: projectWhole([
      ...inProjects,
      inProject(Invitation.kind, invitations),
      inProject(Grant.kind, grants),
      inProject(quotas, limits),
    ]),
    serviceAccount: whole(ServiceAccount.kind, {
      parts: ofPrincipal,
      keys: ({ organizationId, name }) => [serviceAccountName(organizationId, name!)],
    }),
    user: whole(User.kind, {
      parts: [
        ownedBy(Session.kind, { noun: 'users', blocks: false, end: 'remove' }),
        ownedBy(passwordKind, { noun: 'users', blocks: false, end: 'remove' }),
        ...ofPrincipal,
      ],
      keys: ({ spec: { email, oidc } }) => [
        ...(email === undefined ? [] : [userEmail(email)]),
        ...(oidc ? [userSubject(oidc)] : []),
      ],
    }),
    role: whole(Role.kind, {
      parts: [grantsNaming(grantsByRole, ({ spec }) => spec.role, true)],
      keys: ({ organizationId, name }) => [roleName(organizationId!, name!)],
    }),
  }
}
