import type { ChangeSetBuilder, ObjectDraft, View } from '@stead/engine'
import type { World } from '@stead/world'
import { system } from '../caller.ts'
import { Grant, grantKey } from '../grants/model.ts'
import { ServiceAccount, serviceAccountName } from '../service-accounts/model.ts'
import { type Issued, issueToken } from '../tokens/issue.ts'

const platform = { type: 'platform' } as const
/** Marks the accounts that are the operator's. Callers cannot write labels that begin so. */
const mark = { 'stead.admin': 'true' }

/** The account whose token the operator of the machine holds. */
export function draftAdmin(world: World, name: string): ObjectDraft<ServiceAccount['spec']> {
  return ServiceAccount.draft({ world, place: platform, caller: system, name, labels: mark, spec: {}, status: {} })
}

export function addAdmin(set: ChangeSetBuilder, admin: ObjectDraft<ServiceAccount['spec']>): void {
  set.create(admin).take(serviceAccountName(undefined, admin.name!), admin.id)
}

/** The right to everything. */
export function addAdminGrant(set: ChangeSetBuilder, world: World, principal: string): void {
  const spec = { principal, role: 'platform-admin' }
  const grant = Grant.draft({ world, place: platform, caller: system, labels: {}, spec, status: {} })
  set.create(grant).take(grantKey(grant), grant.id)
}

/** A token that never expires: it is what is left when everything else has. */
export function addAdminToken(
  set: ChangeSetBuilder,
  world: World,
  principal: ObjectDraft<ServiceAccount['spec']>,
): Issued {
  const issued = issueToken(world, { principal, caller: system })
  set.create(issued.draft)
  return issued
}

/** A name for an account that nobody has: `admin`, or `admin-2` while an `admin` is being deleted. */
export function freeAdminName(everything: View): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? 'admin' : `admin-${count}`
    if (platformAccounts(everything, name).length === 0) return name
  }
}

/** The operator's accounts: one, and perhaps one that is being deleted. */
export const adminAccounts = (everything: View): readonly ServiceAccount[] =>
  everything.list({ kind: ServiceAccount.kind, labels: mark }).items

const platformAccounts = (everything: View, name: string): readonly ServiceAccount[] =>
  everything
    .list({ kind: ServiceAccount.kind, name })
    .items.filter(({ organizationId }) => organizationId === undefined)
