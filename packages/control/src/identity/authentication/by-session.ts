import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../errors/index.ts'
import { AuthenticatedCaller } from '../authenticated-caller.ts'
import { proves, readCredential } from '../credential.ts'
import type { Held } from '../grants/model.ts'
import { isActive, principalOf } from '../principals.ts'
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

export const csrfHeader = 'stead-csrf'

/** The console's cookie. */
export function bySession({ everything, world, lastUse, cookie, publicUrl, heldByClaims }: SessionSources): Method {
  const current = (id: string) => {
    const session = everything.get(Session.kind, id)
    return session && session.spec.expiresAt > world.now() ? session : undefined
  }
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  return ({ headers, method }) => {
    const text = cookie.read(headers.cookie)
    if (text === undefined) return undefined
    const shown = readCredential('ses', text)
    const session = shown && current(shown.id)
    if (!session || !proves(shown.secret, session.spec.hash)) throw unauthenticated('the session has ended')
    const principal = principalOf(everything, session.spec.principal)
    if (!isActive(principal)) throw unauthenticated('whose session this is has been disabled or deleted')
    const csrfToken = csrfTokenOf(shown.secret)
    if (method !== 'GET') refuseForeign(headers, csrfToken, publicHost)
    lastUse.note(session.id)
    return new AuthenticatedCaller({
      everything,
      principal,
      credentialId: session.id,
      isCredentialCurrent: () => current(session.id) !== undefined,
      csrfToken,
      ...(session.spec.claims && { claimed: heldByClaims(session.spec.claims) }),
    })
  }
}

/**
 * A browser sends the cookie along whichever page asks. Ours can show a token that others cannot know, and comes from
 * this host; either would do, and one may be circumvented some day.
 */
function refuseForeign(headers: IncomingHttpHeaders, csrfToken: string, publicHost: string | undefined): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOwnHost = origin !== undefined && URL.parse(origin)?.host === (publicHost ?? host)
  const isOwn = isOwnHost && (site ?? 'same-origin') === 'same-origin'
  if (!isOwn) throw fail('forbidden', 'changes by session must come from the console itself')
  const shown = Buffer.from(String(headers[csrfHeader] ?? ''))
  const expected = Buffer.from(csrfToken)
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected))
    throw fail('forbidden', `changes by session need the header ${csrfHeader}`, {
      suggestion: `send the csrfToken of GET /v1/whoami as ${csrfHeader}`,
    })
}
