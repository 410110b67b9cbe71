import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider from 'oidc-provider'

/** Somebody who has an account at the provider. Whatever password they give, it lets them in. */
export interface Account {
  readonly groups: readonly string[]
  readonly name?: string
  readonly email?: string
}

const client = { id: 'stead-console', secret: 'a secret: with signs / that + need encoding' }

/** A real OIDC provider on loopback. */
export class TestIssuer {
  readonly clientId = client.id
  readonly clientSecret = client.secret
  readonly audience = 'stead-api'
  readonly robotId = 'robot'
  url = ''
  /** How often its keys were asked for. */
  keysRead = 0
  #server!: Server
  #provider!: Provider
  readonly #accounts: Readonly<Record<string, Account>>
  readonly #redirectUri: string

  private constructor(accounts: Readonly<Record<string, Account>>, redirectUri: string) {
    this.#accounts = accounts
    this.#redirectUri = redirectUri
  }

  static async start(accounts: Readonly<Record<string, Account>>, redirectUri: string): Promise<TestIssuer> {
    const issuer = new TestIssuer(accounts, redirectUri)
    issuer.#server = createServer((request, response) => {
      if (request.url === '/jwks') issuer.keysRead++
      issuer.#provider.callback()(request, response)
    })
    issuer.#server.listen(0, '127.0.0.1')
    await once(issuer.#server, 'listening')
    issuer.url = `http://127.0.0.1:${(issuer.#server.address() as AddressInfo).port}`
    await issuer.rotateKeys()
    return issuer
  }

  /** Begins to sign with a key that nobody has seen. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }
    this.#provider = new Provider(this.url, this.#configuration(key))
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** A bearer token for our API, for a program that has an account there. */
  async bearer(resource = this.audience): Promise<string> {
    const response = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${this.robotId}:robot-secret`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: `urn:${resource}`, scope: 'api' }),
    })
    return ((await response.json()) as { access_token: string }).access_token
  }

  /** What a person does in their browser: says who they are and agrees. Answers where they are sent back to. */
  async signIn(authorizationUrl: string, login: string): Promise<URL> {
    const cookies = new Map<string, string>()
    const go = async (url: string, body?: URLSearchParams): Promise<URL> => {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body && { method: 'POST', body }),
      })
      for (const set of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
        cookies.set(name!, value!)
      }
      const location = response.headers.get('location')
      if (!location) throw new Error(`${response.status}: ${await response.text()}`)
      return new URL(location, url)
    }
    const answers: Record<string, string>[] = [{ prompt: 'login', login, password: 'any' }, { prompt: 'consent' }]
    let at = await go(authorizationUrl)
    while (at.origin === new URL(this.url).origin)
      at = /^\/interaction\//.test(at.pathname)
        ? await go(at.href, new URLSearchParams(answers.shift()))
        : await go(at.href)
    return at
  }

  #configuration(key: JWK): object {
    const claimsOf = (id: string) => ({ sub: id, email_verified: true, ...this.#accounts[id] })
    return {
      jwks: { keys: [key] },
      cookies: { keys: ['for tests'] },
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [this.#redirectUri],
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
        {
          client_id: this.robotId,
          client_secret: 'robot-secret',
          redirect_uris: [],
          response_types: [],
          grant_types: ['client_credentials'],
        },
      ],
      pkce: { required: () => true },
      conformIdTokenClaims: false,
      claims: { openid: ['sub', 'groups'], profile: ['name'], email: ['email', 'email_verified'] },
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => claimsOf(id) }),
      extraTokenClaims: (_context: unknown, token: { clientId: string }) => claimsOf(token.clientId),
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context: unknown, resource: string) => ({
            scope: 'api',
            audience: resource.replace('urn:', ''),
            accessTokenFormat: 'jwt',
          }),
        },
      },
    }
  }
}
