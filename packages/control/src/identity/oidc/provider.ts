import type { JWTPayload } from 'jose'
import { fail } from '../../errors/index.ts'
import { OutgoingError } from '../../outgoing/errors.ts'
import { unauthenticated } from '../authentication/authenticate.ts'
import type { Held } from '../grants/model.ts'
import type { User } from '../users/model.ts'
import { claimsForRules, heldByClaims } from './claims.ts'
import { Issuer, IssuerError, type IssuerOptions } from './issuer.ts'
import { algorithms, type Claims, type OidcProvider } from './model.ts'
import { findOidcUser, makeOidcUser, type OidcUsers } from './users.ts'

/** Clocks of issuers and ours may differ by this much. */
const clockTolerance = 30

export interface ProviderOptions extends Omit<IssuerOptions, 'issuer'>, OidcUsers {}

/** A configured identity provider: verifies what it signed, and knows what its claims are worth here. */
export class Provider {
  readonly configuration: OidcProvider
  readonly issuer: Issuer
  readonly #options: ProviderOptions

  constructor(configuration: OidcProvider, options: ProviderOptions) {
    this.configuration = configuration
    this.#options = options
    this.issuer = new Issuer({ ...options, issuer: configuration.issuer })
  }

  /** The claims of a token that this provider signed for one of these audiences; refuses any other. */
  async verify(token: string, audience: readonly string[]): Promise<JWTPayload & { sub: string; exp: number }> {
    const { issuer, algorithms: accepted = algorithms } = this.configuration
    // Loaded when somebody comes with a token: most installations trust no provider.
    const { errors, jwtVerify } = await import('jose')
    try {
      const { payload } = await jwtVerify(token, this.issuer.findKey, {
        issuer,
        audience: [...audience],
        algorithms: [...accepted],
        clockTolerance,
        currentDate: new Date(this.#options.world.now()),
        requiredClaims: ['iss', 'aud', 'sub', 'exp'],
      })
      return payload as JWTPayload & { sub: string; exp: number }
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthenticated('the token has expired')
      if (error instanceof errors.JOSEError) throw unauthenticated('the token is not one that is accepted here')
      throw keysRefusal(error)
    }
  }

  held(claims: Claims): readonly Held[] {
    return heldByClaims(this.#options.everything, this.configuration.rules, claims)
  }

  /** The claims that a session must remember. */
  claimsToKeep(claims: Claims): Claims {
    return claimsForRules(this.configuration.rules, claims)
  }

  /** Who this is here. Somebody new becomes a user if their claims are worth anything; else they are nobody to us. */
  async user(claims: Claims & { readonly sub: string }): Promise<User> {
    const subject = { issuer: this.configuration.issuer, subject: claims.sub }
    const known = findOidcUser(this.#options.everything, subject)
    if (known) return known
    const made = this.held(claims).length > 0 ? await makeOidcUser(this.#options, subject, claims) : undefined
    if (!made) throw unauthenticated('the identity provider knows you, but nothing here is open to you')
    return made
  }
}

/** Tells the caller no more than that the token is not good; what is wrong with an issuer is the operator's to know. */
function keysRefusal(error: unknown) {
  if (error instanceof IssuerError || error instanceof OutgoingError || error instanceof SyntaxError)
    return fail('unavailable', 'the identity provider cannot be asked for its keys', { cause: error })
  return error
}
