import type { View } from '@stead/engine'
import { lookUp, theOne } from '../../door/find.ts'
import { fail } from '../../errors/index.ts'
import type { Token } from '../tokens/model.ts'
import { ServiceAccount } from './model.ts'

/** Where service accounts are: an organization's, and the platform's own. */
export const accountPlaces = [
  { scope: 'platform', path: '/v1/service-accounts', of: 'the platform' },
  { scope: 'organization', path: '/v1/organizations/:organization/service-accounts', of: 'an organization' },
] as const
type Scope = (typeof accountPlaces)[number]['scope']

/** On the platform only its own are meant: those of organizations are reached through these. */
export const isOf = (scope: Scope, { organizationId }: { readonly organizationId?: string }): boolean =>
  scope === 'organization' || organizationId === undefined

/** `:account` in a path, by id or name. */
export const accountTarget = (scope: Scope) => ({
  kind: ServiceAccount.kind,
  param: 'account',
  find: (objects: View, text: string): readonly ServiceAccount[] =>
    lookUp(objects, ServiceAccount.kind, text).filter(account => isOf(scope, account)),
})

/** A token is found only under the account that it belongs to. */
export function refuseOfOther(scope: Scope, objects: View, account: string, token: Token): void {
  if (token.owner?.id !== theOne(ServiceAccount.kind, account, accountTarget(scope).find(objects, account)).id)
    throw fail('not_found', `there is no token ${token.id} of this service account`)
}
