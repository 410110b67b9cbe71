import type { View } from '@stead/engine'
import type { World } from '@stead/world'
import { AuthenticatedCaller } from '../authenticated-caller.ts'
import { proves, readCredential } from '../credential.ts'
import { isActive, principalOf } from '../principals.ts'
import { Token } from '../tokens/model.ts'
import { bearerOf, type Method, unauthenticated } from './authenticate.ts'
import type { LastUse } from './last-use.ts'

export interface CredentialSources {
  readonly everything: View
  readonly world: World
  readonly lastUse: Pick<LastUse, 'note'>
}

/** Tokens of ours: `Authorization: Bearer stead_…`. */
export function byToken({ everything, world, lastUse }: CredentialSources): Method {
  const isInTime = (token: Token) => (token.spec.expiresAt ?? Number.POSITIVE_INFINITY) > world.now()
  const isCurrent = (id: string) => {
    const token = everything.get(Token.kind, id)
    return token !== undefined && isInTime(token)
  }
  return credentials => {
    const text = bearerOf(credentials)
    const shown = text === undefined ? undefined : readCredential('tok', text)
    if (!shown) return undefined
    const token = everything.get(Token.kind, shown.id)
    // One answer for unknown, revoked and wrong: who does not hold the secret learns nothing about the token.
    if (!token || !proves(shown.secret, token.spec.hash)) throw unauthenticated('the token is unknown or was revoked')
    if (!isInTime(token)) throw unauthenticated('the token has expired')
    const principal = principalOf(everything, token.spec.principal)
    if (!isActive(principal)) throw unauthenticated('whose token this is has been disabled or deleted')
    lastUse.note(token.id)
    return new AuthenticatedCaller({
      everything,
      principal,
      credentialId: token.id,
      isCredentialCurrent: () => isCurrent(token.id),
      scope: token.spec.scope,
    })
  }
}
