import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { hostOf, isOwnOrigin } from '../../door/origin.ts'
import { fail } from '../../errors/index.ts'
import { AuthenticatedCaller } from '../authenticated-caller.ts'
import { proves, readCredential } from '../credential.ts'
import type { Held } from '../grants/model.ts'
import { isActive, type Principal, principalOf } from '../principals.ts'
import type { SessionCookie } from '../sessions/cookie.ts'
import { csrfTokenOf, Session } from '../sessions/model.ts'
import { type Method, unauthenticated } from './authenticate.ts'
import type { CredentialSources } from './by-token.ts'

export interface SessionSources extends CredentialSources {
  readonly cookie: SessionCookie
  /** Where the console is found; what browsers say in Host unless given. */
  readonly publicUrl: string | undefined
  /** What claims of the identity provider are worth here and now. */
  readonly heldByClaims: (claims: Readonly<Record<string, unknown>>) => readonly Held[]
}

type Sources = Pick<SessionSources, 'everything' | 'world' | 'heldByClaims'>

/** A session that has not ended. */
export function currentSession({ everything, world }: Sources, id: string): Session | undefined {
  const session = everything.get(Session.kind, id)
  return session && session.spec.expiresAt > world.now() ? session : undefined
}

/** Whoever is at the console, for as long as the session lasts. */
export function sessionCaller(
  sources: Sources,
  { id, spec: { claims } }: Session,
  principal: Principal,
  csrfToken?: string,
): AuthenticatedCaller {
  return new AuthenticatedCaller({
    everything: sources.everything,
    principal,
    credentialId: id,
    isCredentialCurrent: () => currentSession(sources, id) !== undefined,
    ...(csrfToken !== undefined && { csrfToken }),
    ...(claims && { claimed: sources.heldByClaims(claims) }),
  })
}

export const csrfHeader = 'stead-csrf'

/** The console's cookie. */
export function bySession(sources: SessionSources): Method {
  const { everything, lastUse, cookie, publicUrl } = sources
  const publicHost = hostOf(publicUrl)
  return ({ headers, method }) => {
    const text = cookie.read(headers.cookie)
    if (text === undefined) return undefined
    const shown = readCredential('ses', text)
    const session = shown && currentSession(sources, shown.id)
    if (!session || !proves(shown.secret, session.spec.hash)) throw unauthenticated('the session has ended')
    const principal = principalOf(everything, session.spec.principal)
    if (!isActive(principal)) throw unauthenticated('whose session this is has been disabled or deleted')
    const csrfToken = csrfTokenOf(shown.secret)
    if (method !== 'GET') refuseForeign(headers, csrfToken, publicHost)
    lastUse.note(session.id)
    return sessionCaller(sources, session, principal, csrfToken)
  }
}

/**
 * A browser sends the cookie along whichever page asks. Ours can show a token that others cannot know, and comes from
 * this host; either would do, and one may be circumvented some day.
 */
function refuseForeign(headers: IncomingHttpHeaders, csrfToken: string, publicHost: string | undefined): void {
  const isOwn = isOwnOrigin(headers, publicHost) && (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin'
  if (!isOwn) throw fail('forbidden', 'changes by session must come from the console itself')
  const shown = Buffer.from(String(headers[csrfHeader] ?? ''))
  const expected = Buffer.from(csrfToken)
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected))
    throw fail('forbidden', `changes by session need the header ${csrfHeader}`, {
      suggestion: `send the csrfToken of GET /v1/whoami as ${csrfHeader}`,
    })
}
