import { AuthenticatedCaller } from '../authenticated-caller.ts'
import type { Caller, Standing } from '../caller.ts'
import { isActive, principalOf } from '../principals.ts'
import { Token } from '../tokens/model.ts'
import { currentSession, type SessionSources, sessionCaller } from './by-session.ts'
import { tokenCaller } from './by-token.ts'

/** Knows somebody again who was let in before, with what they may do now; undefined when they would not be let in any more. */
export type Recall = (standing: Standing) => Caller | undefined

export function recaller(sources: Pick<SessionSources, 'everything' | 'world' | 'heldByClaims'>): Recall {
  const { everything, world } = sources
  return ({ principal: id, credential, outside }) => {
    const principal = principalOf(everything, id)
    if (!isActive(principal)) return undefined
    if (outside) {
      const { claimed, until } = outside
      const isCredentialCurrent = () => until > world.now()
      return new AuthenticatedCaller({ everything, principal, credentialId: credential, isCredentialCurrent, claimed })
    }
    const token = everything.get(Token.kind, credential)
    if (token) return tokenCaller(sources, token, principal)
    const session = currentSession(sources, credential)
    return session && sessionCaller(sources, session, principal)
  }
}
