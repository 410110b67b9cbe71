import { changeSet } from '@stead/engine'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn } from '../../teardown/building.ts'
import { unauthenticated } from '../authentication/authenticate.ts'
import { arrival, isActive } from '../principals.ts'
import type { SessionCookie } from '../sessions/cookie.ts'
import { draftSession } from '../sessions/open.ts'
import { type Attempt, AttemptCookie, challengeOf, newAttempt, safePath } from './attempt.ts'
import type { Provider } from './provider.ts'

export interface LoginOptions {
  readonly providers: readonly Provider[]
  readonly cookie: SessionCookie
  readonly isSecure: boolean
  /** Where browsers find us: what the provider sends them back to. */
  readonly publicUrl: string | undefined
}

const Named = Type.Object({ provider: Type.String() })
const Text = Type.String({ maxLength: 4_096 })

/** Signing in to the console with an identity provider: authorization code, with PKCE, state and nonce. */
export function loginRoutes({ providers, cookie, isSecure, publicUrl }: LoginOptions): readonly Route[] {
  const attempts = new AttemptCookie({ isSecure })
  const offered = providers.filter(({ configuration }) => configuration.clientId !== undefined)
  if (offered.length > 0 && publicUrl === undefined)
    throw new Error('signing in with an identity provider needs the public URL of this installation')
  const callbackOf = (name: string) => new URL(`/v1/oidc/${name}/callback`, publicUrl).href
  const find = (name: string): Provider => {
    const found = offered.find(({ configuration }) => configuration.name === name)
    if (!found) throw fail('not_found', `there is no identity provider ${JSON.stringify(name)}`)
    return found
  }

  return [
    route({
      method: 'GET',
      path: '/v1/oidc',
      summary: 'List the identity providers to sign in with',
      scope: 'platform',
      permission: 'public',
      replies: { 200: Type.Object({ items: Type.Array(Type.Object({ name: Type.String(), login: Type.String() })) }) },
      handle() {
        const names = offered.map(({ configuration }) => configuration.name)
        return { status: 200, body: { items: names.map(name => ({ name, login: `/v1/oidc/${name}/login` })) } }
      },
    }),
    route({
      method: 'GET',
      path: '/v1/oidc/:provider/login',
      summary: 'Go to an identity provider to sign in to the console',
      scope: 'platform',
      permission: 'public',
      params: Named,
      query: Type.Object({ returnTo: Type.Optional(Type.String({ maxLength: 500 })) }),
      replies: { 302: Type.Null() },
      async handle({ params, query }, { world }) {
        const provider = find(params.provider)
        const attempt = newAttempt(world, params.provider, safePath(query.returnTo))
        const { authorization_endpoint } = await asked(provider.issuer.discovery())
        const url = new URL(authorization_endpoint!)
        for (const [name, value] of Object.entries(questionOf(provider, attempt, callbackOf(params.provider))))
          url.searchParams.set(name, value)
        return { status: 302, headers: { location: url.href, 'set-cookie': attempts.set(attempt) } }
      },
    }),
    route({
      method: 'GET',
      path: '/v1/oidc/:provider/callback',
      summary: 'Where an identity provider sends the browser back to',
      scope: 'platform',
      permission: 'public',
      params: Named,
      query: Type.Object(
        {
          state: Text,
          code: Type.Optional(Text),
          error: Type.Optional(Text),
          iss: Type.Optional(Text),
        },
        { additionalProperties: true },
      ),
      replies: { 302: Type.Null() },
      refuses: ['unauthenticated'],
      async handle({ params, query, cookie: cookies, address }, { world, conclude, triedAs, cameInAs }) {
        const provider = find(params.provider)
        const attempt = attempts.read(cookies, { provider: params.provider, state: query.state })
        if (!attempt) throw unauthenticated('this sign-in did not begin in this browser, or too long ago')
        if (query.iss !== undefined && query.iss !== provider.configuration.issuer)
          throw unauthenticated('another identity provider has answered')
        if (query.code === undefined) throw unauthenticated('the identity provider did not let you in')
        const idToken = await exchange(provider, attempt, query.code, callbackOf(params.provider))
        const claims = await provider.verify(idToken, [provider.configuration.clientId!])
        if (claims.nonce !== attempt.nonce) throw unauthenticated('the answer is to another question')
        triedAs(typeof claims.email === 'string' ? claims.email : claims.sub)
        const user = await provider.user(claims)
        if (!isActive(user)) throw unauthenticated('you have been disabled here')
        const kept = { iss: provider.configuration.issuer, ...provider.claimsToKeep(claims) }
        const { text, draft } = draftSession(world, { user, address, claims: kept })
        cameInAs(arrival(user, draft.id))
        return conclude(buildingOn(changeSet(world).create(draft), user), () => ({
          status: 302,
          headers: { location: attempt.returnTo, 'set-cookie': cookie.set(text) },
        }))
      },
    }),
  ]
}

const questionOf = ({ configuration }: Provider, attempt: Attempt, callback: string) => ({
  response_type: 'code',
  client_id: configuration.clientId!,
  redirect_uri: callback,
  scope: ['openid', ...(configuration.scopes ?? [])].join(' '),
  state: attempt.state,
  nonce: attempt.nonce,
  code_challenge: challengeOf(attempt),
  code_challenge_method: 'S256',
})

/** Shows the code to the provider itself; answers the token that says who it was given to. */
async function exchange(provider: Provider, attempt: Attempt, code: string, callback: string): Promise<string> {
  const { clientId, clientSecret } = provider.configuration
  const { token_endpoint, token_endpoint_auth_methods_supported: methods } = await asked(provider.issuer.discovery())
  const usesBasic = clientSecret !== undefined && (methods ?? ['client_secret_basic']).includes('client_secret_basic')
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    code_verifier: attempt.verifier,
    ...(!usesBasic && { client_id: clientId! }),
    ...(!usesBasic && clientSecret !== undefined && { client_secret: clientSecret }),
  })
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(usesBasic && { authorization: `Basic ${basic(clientId!, clientSecret)}` }),
  }
  const answer = await asked(provider.issuer.getJson<{ id_token?: unknown }>(token_endpoint!, { body, headers }))
  if (typeof answer.id_token !== 'string') throw unauthenticated('the identity provider did not say who you are')
  return answer.id_token
}

/** RFC 6749 §2.3.1: each half is form-encoded before they are joined. */
const basic = (id: string, secret: string) =>
  Buffer.from([id, secret].map(encodeURIComponent).join(':')).toString('base64')

const asked = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer
  } catch (error) {
    throw fail('unavailable', 'the identity provider did not answer as it should', { cause: error })
  }
}
