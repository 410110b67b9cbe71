import type { View } from '@stead/engine'
import type { World } from '@stead/world'
import { AuthenticatedCaller } from '../authenticated-caller.ts'
import { proves, readCredential } from '../credential.ts'
import { isActive, principalOf } from '../principals.ts'
import { Token } from '../tokens/model.ts'
import { bearerOf, type Method, unauthenticated } from './authenticate.ts'
import { type Known, KnownTokens } from './known-tokens.ts'
import type { LastUse } from './last-use.ts'

export interface CredentialSources {
  readonly everything: View
  readonly world: World
  readonly lastUse: Pick<LastUse, 'note'>
}

/** A header with a token of ours has 77 characters. What is much longer is somebody else's, and is not even hashed. */
const longestKnown = 100

/** Tokens of ours: `Authorization: Bearer stead_…`. */
export function byToken({ everything, world, lastUse }: CredentialSources, known = new KnownTokens()): Method {
  const isInTime = (token: Token) => (token.spec.expiresAt ?? Number.POSITIVE_INFINITY) > world.now()
  const isCurrent = (id: string) => {
    const token = everything.get(Token.kind, id)
    return token !== undefined && isInTime(token)
  }

  const prove = (authorization: string): Known | undefined => {
    const text = bearerOf(authorization)
    const shown = text === undefined ? undefined : readCredential('tok', text)
    if (!shown) return undefined
    const token = everything.get(Token.kind, shown.id)
    // One answer for unknown, revoked and wrong: who does not hold the secret learns nothing about the token.
    if (!token || !proves(shown.secret, token.spec.hash)) throw unauthenticated('the token is unknown or was revoked')
    if (!isInTime(token)) throw unauthenticated('the token has expired')
    const principal = principalOf(everything, token.spec.principal)
    if (!isActive(principal)) throw unauthenticated('whose token this is has been disabled or deleted')
    const caller = new AuthenticatedCaller({
      everything,
      principal,
      credentialId: token.id,
      isCredentialCurrent: () => isCurrent(token.id),
      scope: token.spec.scope,
    })
    return { token, principal, caller }
  }

  /** Nothing that was proved has changed since. A principal of this version was active then, so it is now. */
  const isStillSo = ({ token, principal }: Known) =>
    everything.get(Token.kind, token.id) === token &&
    everything.get(principal.kind, principal.id) === principal &&
    isInTime(token)

  const recognise = (authorization: string): Known | undefined => {
    const name = known.nameOf(authorization)
    const before = known.get(name)
    if (before && isStillSo(before)) return before
    known.forget(name)
    const found = prove(authorization)
    if (found) known.remember(name, found)
    return found
  }

  return ({ headers: { authorization } }) => {
    if (authorization === undefined) return undefined
    const found = authorization.length > longestKnown ? prove(authorization) : recognise(authorization)
    if (!found) return undefined
    lastUse.note(found.token.id)
    return found.caller
  }
}
