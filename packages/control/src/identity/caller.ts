import type { Instant } from '@stead/world'
import type { Held } from './grants/model.ts'
import type { Permission } from './permissions.ts'

/** Where something happens. A grant on the platform covers every organization; one on an organization, its projects. */
export type Place =
  | { readonly type: 'platform' }
  | { readonly type: 'organization'; readonly organizationId: string }
  | { readonly type: 'project'; readonly organizationId: string; readonly projectId: string }

/**
 * Somebody who was let in, in words that can be kept: enough to know them again later, on any node, and never enough to come
 * in with.
 */
export interface Standing {
  /** The id of a user or a service account. */
  readonly principal: string
  /** The token or session they came with. */
  readonly credential: string
  /** Of a credential that is not kept here: what it gives, and until when. */
  readonly outside?: { readonly claimed: readonly Held[]; readonly until: Instant }
}

/** Who makes a request, and what they may do. Each question is answered as things are in the cache when it is asked. */
export interface Caller {
  readonly principalId: string
  readonly type: 'user' | 'service-account' | 'nobody'
  /** For people and the audit log. */
  readonly displayName: string
  /** The token or session the request came with: revoking it ends what it opened. */
  readonly credentialId: string
  /** How to know them again; nobody is not. */
  readonly standing?: Standing
  /** False once the credential is revoked or past its time: what it opened ends. */
  isCurrent(): boolean
  may(permission: Permission, place: Place): boolean
  /** Whether they hold anything in an organization or in one of its projects. */
  belongsTo(organizationId: string): boolean
}

/** Who asks on public routes: may nothing. */
export const nobody: Caller = {
  principalId: 'nobody',
  type: 'nobody',
  displayName: 'nobody',
  credentialId: 'none',
  isCurrent: () => true,
  may: () => false,
  belongsTo: () => false,
}

/** Stead itself, for what it makes without being asked. */
export const system: Caller = { ...nobody, principalId: 'system', displayName: 'Stead' }
