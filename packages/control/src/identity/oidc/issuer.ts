import { type Duration, hours, minutes, seconds, type World } from '@stead/world'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import type { OutgoingClient } from '../../outgoing/client.ts'

/** What we use of an issuer's description of itself. */
interface Discovery {
  readonly issuer: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly jwks_uri: string
  readonly token_endpoint_auth_methods_supported?: readonly string[]
}

/** The issuer could not be asked, or what it answered is not what an issuer answers. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError'
}

export interface IssuerOptions {
  readonly issuer: string
  readonly client: OutgoingClient
  readonly world: World
}

/** Keys are looked at again this often: a key that was withdrawn is trusted no longer than this. */
const keysLast: Duration = minutes(10)
/** A token with a key we do not know makes us ask again, but not more often than this: anybody can make up a key's name. */
const keysRest: Duration = seconds(30)
/** While an issuer cannot be asked, the keys it had go on counting, so that its outage is not ours; but not for longer than this. */
const keysOutlive: Duration = hours(1)
const mostBytes = 256 * 1_024

interface Keys {
  readonly find: JWTVerifyGetKey
  readonly readAt: Duration
}

/** An OIDC issuer: how it describes itself, and its keys, through the guarded client. */
export class Issuer {
  readonly #options: IssuerOptions
  #discovery: Promise<Discovery> | undefined
  #keys: Keys | undefined
  #reading: Promise<Keys> | undefined
  #askedAt: Duration | undefined

  constructor(options: IssuerOptions) {
    this.#options = options
  }

  /** Asked once; again after a failure. */
  discovery(): Promise<Discovery> {
    this.#discovery ??= this.#discover().catch((error: unknown) => {
      this.#discovery = undefined
      throw error
    })
    return this.#discovery
  }

  /** Finds the key that a token says it was signed with. */
  readonly findKey: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current(keysLast)
    try {
      return await keys.find(header, token)
    } catch (error) {
      const newer = await this.#current(keysRest)
      if (newer === keys) throw error
      return newer.find(header, token)
    }
  }

  /** Keys not older than this, where the issuer answers. Read by one for all who wait. */
  async #current(age: Duration): Promise<Keys> {
    const now = this.#options.world.monotonic()
    const keys = this.#keys
    if (keys && (now - keys.readAt < age || now - this.#askedAt! < keysRest)) return keys
    this.#reading ??= this.#readKeys().finally(() => {
      this.#reading = undefined
    })
    this.#askedAt = now
    try {
      this.#keys = await this.#reading
      return this.#keys
    } catch (error) {
      if (keys && now - keys.readAt < keysOutlive) return keys
      throw error
    }
  }

  async #readKeys(): Promise<Keys> {
    const { jwks_uri } = await this.discovery()
    const keys = await this.getJson<JSONWebKeySet>(jwks_uri)
    if (!Array.isArray(keys.keys)) throw new IssuerError(`${jwks_uri} answered no keys`)
    const { createLocalJWKSet } = await import('jose')
    return { find: createLocalJWKSet(keys), readAt: this.#options.world.monotonic() }
  }

  async #discover(): Promise<Discovery> {
    const { issuer } = this.#options
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const found = await this.getJson<Discovery>(url)
    // Else one issuer could speak for another.
    if (found.issuer !== issuer) throw new IssuerError(`${url} describes ${found.issuer}, not ${issuer}`)
    return found
  }

  async getJson<T>(
    url: string,
    post?: { readonly body: URLSearchParams; readonly headers: Record<string, string> },
  ): Promise<T> {
    const reply = await this.#options.client({
      url,
      maxBytes: mostBytes,
      timeout: seconds(10),
      headers: { accept: 'application/json', ...post?.headers },
      ...(post && { method: 'POST' as const, body: Buffer.from(post.body.toString()) }),
    })
    if (reply.status !== 200) throw new IssuerError(`${url} answered ${reply.status}`)
    return JSON.parse(reply.body.toString()) as T
  }
}
