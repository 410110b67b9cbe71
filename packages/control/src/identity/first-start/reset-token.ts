import { type ChangeSet, type Committed, changeSet, type View } from '@stead/engine'
import type { World } from '@stead/world'
import { grantsOf } from '../rights.ts'
import { Token } from '../tokens/model.ts'
import { addAdmin, addAdminGrant, addAdminToken, adminAccounts, draftAdmin, freeAdminName } from './admin.ts'

export interface AdminReset {
  readonly everything: View
  readonly world: World
  readonly commit: (set: ChangeSet) => Promise<Committed>
}

/**
 * A new token for the admin account; its old ones end. The account is made again if it was deleted, enabled if it was
 * disabled, and given back its role: whoever has the machine has the house.
 */
export async function resetAdminToken({ everything, world, commit }: AdminReset): Promise<string> {
  const set = changeSet(world)
  const accounts = adminAccounts(everything)
  const existing = accounts.find(({ deletedAt }) => deletedAt === undefined)
  const admin = existing ?? draftAdmin(world, freeAdminName(everything))
  if (!existing) addAdmin(set, admin)
  else if (existing.spec.disabled) set.update(existing, { spec: { ...existing.spec, disabled: false } })
  else set.expectRevision(existing, existing.revision)
  for (const { kind, id } of accounts)
    for (const token of everything.list({ kind: Token.kind, owner: { kind, id } }).items) set.remove(token)
  const isAdmin = grantsOf(everything, admin.id).some(
    ({ organizationId, spec }) => organizationId === undefined && spec.role === 'platform-admin',
  )
  if (!isAdmin) addAdminGrant(set, world, admin.id)
  const { text } = addAdminToken(set, world, admin)
  await commit(set)
  return text
}
