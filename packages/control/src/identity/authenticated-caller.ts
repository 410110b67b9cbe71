import type { View } from '@stead/engine'
import type { Instant } from '@stead/world'
import type { Caller, Place, Standing } from './caller.ts'
import { Grant, type Held } from './grants/model.ts'
import type { Permission } from './permissions.ts'
import { isActive, nameOfPrincipal, type Principal } from './principals.ts'
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
  /** When a credential that is not kept here ends. */
  readonly until?: Instant
  /** What the console must send with each change. */
  readonly csrfToken?: string
}

/**
 * Somebody we know. Each question is answered from what is in the cache when it is asked. Kept is only what follows from
 * grants, for as long as no grant comes, changes or goes.
 */
export class AuthenticatedCaller implements Caller {
  readonly principalId: string
  readonly type: 'user' | 'service-account'
  readonly displayName: string
  readonly credentialId: string
  readonly #options: CallerOptions
  #held: readonly Held[] = []
  /** The version of the grants that `#held` is of. */
  #heldAsOf: number | undefined

  constructor(options: CallerOptions) {
    const { principal, credentialId } = options
    this.principalId = principal.id
    this.type = principal.kind === 'user' ? 'user' : 'service-account'
    this.displayName = nameOfPrincipal(principal)
    this.credentialId = credentialId
    this.#options = options
  }

  isCurrent(): boolean {
    const { everything, principal, isCredentialCurrent } = this.#options
    return isCredentialCurrent() && isActive(everything.get<Principal>(principal.kind, principal.id))
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
    const grants = everything.version(Grant.kind)
    if (grants !== this.#heldAsOf) {
      this.#held = [...heldBy(everything, this.principalId), ...claimed]
      this.#heldAsOf = grants
    }
    return this.#held
  }

  get standing(): Standing {
    const { claimed = [], until } = this.#options
    const { principalId: principal, credentialId: credential } = this
    return { principal, credential, ...(until !== undefined && { outside: { claimed, until } }) }
  }

  get csrfToken(): string | undefined {
    return this.#options.csrfToken
  }

  get scope(): TokenScope | undefined {
    return this.#options.scope
  }
}
