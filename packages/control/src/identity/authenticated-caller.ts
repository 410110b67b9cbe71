import type { View } from '@stead/engine'
import type { Caller, Place } from './caller.ts'
import type { Held } from './grants/model.ts'
import type { Permission } from './permissions.ts'
import { isActive, nameOfPrincipal, type Principal, principalOf } from './principals.ts'
import { allows, heldBy } from './rights.ts'
import { inScope, type TokenScope } from './tokens/model.ts'

export interface CallerOptions {
  readonly everything: View
  readonly principal: Principal
  readonly credentialId: string
  /** Whether the credential would still be accepted. */
  readonly isCredentialCurrent: () => boolean
  readonly scope?: TokenScope | undefined
  /** What it holds besides its grants: by the claims of an OIDC token. */
  readonly claimed?: readonly Held[]
  /** What the console must send with each change. */
  readonly csrfToken?: string
}

/** Somebody we know. Nothing is copied: each question is answered from what is in the cache when it is asked. */
export class AuthenticatedCaller implements Caller {
  readonly principalId: string
  readonly type: 'user' | 'service-account'
  readonly displayName: string
  readonly credentialId: string
  readonly #options: CallerOptions

  constructor(options: CallerOptions) {
    const { principal, credentialId } = options
    this.principalId = principal.id
    this.type = principal.kind === 'user' ? 'user' : 'service-account'
    this.displayName = nameOfPrincipal(principal)
    this.credentialId = credentialId
    this.#options = options
  }

  isCurrent(): boolean {
    const { everything, isCredentialCurrent } = this.#options
    return isCredentialCurrent() && isActive(principalOf(everything, this.principalId))
  }

  may(permission: Permission, place: Place): boolean {
    const { everything, scope } = this.#options
    return this.isCurrent() && inScope(scope, permission, place) && allows(everything, this.held(), permission, place)
  }

  belongsTo(organizationId: string): boolean {
    const { everything, scope } = this.#options
    if (!this.isCurrent()) return false
    const only = scope?.projectId
    if (only !== undefined && everything.get('project', only)?.organizationId !== organizationId) return false
    return this.held().some(({ place }) => place.type === 'platform' || place.organizationId === organizationId)
  }

  /** What it holds, before the scope of its token narrows it. */
  held(): readonly Held[] {
    const { everything, claimed = [] } = this.#options
    return [...heldBy(everything, this.principalId), ...claimed]
  }

  get csrfToken(): string | undefined {
    return this.#options.csrfToken
  }

  get scope(): TokenScope | undefined {
    return this.#options.scope
  }
}
