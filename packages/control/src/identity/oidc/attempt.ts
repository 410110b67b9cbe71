import { createHash, timingSafeEqual } from 'node:crypto'
import type { World } from '@stead/world'
import { readCookie } from '../sessions/cookie.ts'

/** One attempt to sign in, from its start until the browser comes back from the provider. It is kept in that browser alone. */
export interface Attempt {
  /** Comes back with the browser: this answer is to that question. */
  readonly state: string
  /** Comes back inside the signed token: this token is for that question. */
  readonly nonce: string
  /** Shown with the code: whoever stole only the code can do nothing with it (PKCE). */
  readonly verifier: string
  /** Which provider was asked: another's answer is not taken for its. */
  readonly provider: string
  /** Where in the console to go on. */
  readonly returnTo: string
}

const seconds = 600

export function newAttempt(world: World, provider: string, returnTo: string): Attempt {
  const random = () => Buffer.from(world.randomBytes(32)).toString('base64url')
  return { state: random(), nonce: random(), verifier: random(), provider, returnTo }
}

export const challengeOf = ({ verifier }: Attempt): string => createHash('sha256').update(verifier).digest('base64url')

/** Lax, not Strict: the browser comes back from another site, and a Strict cookie would stay at home then. */
export class AttemptCookie {
  readonly #name: string
  readonly #isSecure: boolean

  constructor({ isSecure }: { readonly isSecure: boolean }) {
    this.#name = isSecure ? '__Host-stead-sign-in' : 'stead-sign-in'
    this.#isSecure = isSecure
  }

  set(attempt: Attempt): string {
    const value = Buffer.from(JSON.stringify(attempt)).toString('base64url')
    return `${this.#name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${this.#isSecure ? '; Secure' : ''}`
  }

  /** The attempt that this browser began with this provider, if the answer is to it. */
  read(header: string | undefined, { provider, state }: Pick<Attempt, 'provider' | 'state'>): Attempt | undefined {
    const value = readCookie(header, this.#name)
    if (value === undefined) return undefined
    const attempt = parse(value)
    return attempt && attempt.provider === provider && isSame(attempt.state, state) ? attempt : undefined
  }
}

function parse(value: string): Attempt | undefined {
  try {
    const attempt: unknown = JSON.parse(Buffer.from(value, 'base64url').toString())
    const fields = ['state', 'nonce', 'verifier', 'provider', 'returnTo'] as const
    const isWhole = fields.every(field => typeof (attempt as Partial<Attempt> | null)?.[field] === 'string')
    return isWhole ? (attempt as Attempt) : undefined
  } catch {
    return undefined
  }
}

function isSame(a: string, b: string): boolean {
  const [one, two] = [Buffer.from(a), Buffer.from(b)]
  return one.length === two.length && timingSafeEqual(one, two)
}

/** A path of ours, and nothing that a browser could take for another host. */
export const safePath = (path: string | undefined): string =>
  path !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes('\\') ? path : '/'
