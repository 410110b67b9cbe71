import type { ObjectDraft, View } from '@stead/engine'
import { idPrefix } from '@stead/world'
import type { Arrival } from '../door/services.ts'
import { ServiceAccount } from './service-accounts/model.ts'
import { User } from './users/model.ts'

/** Who acts: a person or a program. */
export type Principal = User | ServiceAccount

/** The one with this id, whatever it is. */
export const principalOf = (everything: View, id: string): Principal | undefined =>
  idPrefix(id) === 'usr' ? everything.get(User.kind, id) : everything.get(ServiceAccount.kind, id)

/** Whether it may act at all: one that is disabled or on its way out has no rights, whatever it was granted. */
export const isActive = (principal: Principal | undefined): principal is Principal =>
  principal !== undefined && principal.deletedAt === undefined && principal.spec.disabled !== true

/** Somebody who has just shown who they are, with what they came by: a session, or an invitation. */
export const arrival = (principal: Principal | ObjectDraft<User['spec']>, credentialId: string): Arrival => ({
  principalId: principal.id,
  type: principal.kind === 'user' ? 'user' : 'service-account',
  displayName: nameOfPrincipal(principal),
  credentialId,
})

/** For people and the audit log. */
export function nameOfPrincipal({ displayName, name, spec, id }: Principal | ObjectDraft<User['spec']>): string {
  return displayName ?? name ?? (spec as User['spec']).email ?? id
}
