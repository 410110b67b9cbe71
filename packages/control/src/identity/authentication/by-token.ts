import type { View } from '@stead/engine'
import type { World } from '@stead/world'
import type { Credentials } from '../../door/admission.ts'
import type { LastUse } from '../../marks/last-use.ts'
import { AuthenticatedCaller } from '../authenticated-caller.ts'
import { proves, readCredential } from '../credential.ts'
import { isActive, type Principal, principalOf } from '../principals.ts'
import { Token } from '../tokens/model.ts'
import { bearerOf, type Method, unauthenticated } from './authenticate.ts'
import { type Known, KnownTokens } from './known-tokens.ts'

export interface CredentialSources {
  readonly everything: View
  readonly world: World
  readonly lastUse: Pick<LastUse, 'note'>
}

/** A header with a token of ours has 77 characters. What is much longer is somebody else's, and is not even hashed. */
const longestKnown = 100

const isInTime = ({ spec }: Token, world: World) => (spec.expiresAt ?? Number.POSITIVE_INFINITY) > world.now()

/** Whoever holds a token, for as long as it is one. */
export function tokenCaller(
  { everything, world }: Pick<CredentialSources, 'everything' | 'world'>,
  { id, spec: { scope } }: Token,
  principal: Principal,
): AuthenticatedCaller {
  const isCredentialCurrent = () => {
    const token = everything.get(Token.kind, id)
    return token !== undefined && isInTime(token, world)
  }
  return new AuthenticatedCaller({ everything, principal, credentialId: id, isCredentialCurrent, scope })
}

/** Tokens of ours: `Authorization: Bearer stead_…`. */
export function byToken(sources: CredentialSources, known = new KnownTokens()): Method {
  const { everything, world, lastUse } = sources
  const prove = (authorization: string): Known | undefined => {
    const text = bearerOf(authorization)
    const shown = text === undefined ? undefined : readCredential('tok', text)
    if (!shown) return undefined
    const token = everything.get(Token.kind, shown.id)
    // One answer for unknown, revoked and wrong: who does not hold the secret learns nothing about the token.
    if (!token || !proves(shown.secret, token.spec.hash)) throw unauthenticated('the token is unknown or was revoked')
    if (!isInTime(token, world)) throw unauthenticated('the token has expired')
    const principal = principalOf(everything, token.spec.principal)
    if (!isActive(principal)) throw unauthenticated('whose token this is has been disabled or deleted')
    const caller = tokenCaller(sources, token, principal)
    return { token, principal, caller }
  }

  /** Nothing that was proved has changed since. A principal of this version was active then, so it is now. */
  const isStillSo = ({ token, principal }: Known) =>
    everything.get(Token.kind, token.id) === token &&
    everything.get(principal.kind, principal.id) === principal &&
    isInTime(token, world)

  const recognise = (authorization: string): Known | undefined => {
    const name = known.nameOf(authorization)
    const before = known.get(name)
    if (before && isStillSo(before)) return before
    known.forget(name)
    const found = prove(authorization)
    if (found) known.remember(name, found)
    return found
  }

  const recogniseOn = (connection: object, authorization: string): Known | undefined => {
    const last = known.lastOn(connection, authorization)
    if (last && isStillSo(last)) return last
    const found = recognise(authorization)
    if (found) known.rememberLastOn(connection, authorization, found)
    return found
  }

  const find = ({ connection }: Credentials, authorization: string): Known | undefined => {
    if (authorization.length > longestKnown) return prove(authorization)
    return connection ? recogniseOn(connection, authorization) : recognise(authorization)
  }

  return credentials => {
    const { authorization } = credentials.headers
    const found = authorization === undefined ? undefined : find(credentials, authorization)
    if (!found) return undefined
    lastUse.note(found.token.id)
    return found.caller
  }
}
