import type { Authenticate, Credentials } from '../../door/admission.ts'
import { fail, type Problem } from '../../errors/index.ts'
import type { Caller } from '../caller.ts'

/** One way to say who one is. Undefined when the request does not try this way; a throw when it tries and fails. */
export type Method = (credentials: Credentials) => Promise<Caller | undefined> | Caller | undefined

/**
 * Tries each way in turn. The first that a request uses decides: a bad token is not helped by a good cookie.
 * Answers at once where it can: most requests come with a token of ours, and the door then waits for nothing.
 */
export function authentication([method, ...others]: readonly Method[]): Authenticate {
  if (!method) return refuse
  const next = authentication(others)
  return credentials => {
    const caller = method(credentials)
    if (caller instanceof Promise) return caller.then(found => found ?? next(credentials))
    return caller ?? next(credentials)
  }
}

function refuse({ headers }: Credentials): never {
  if (headers.authorization !== undefined) throw unauthenticated('the credential is not one we know')
  throw unauthenticated('no credential was sent')
}

export const unauthenticated = (detail: string): Problem => fail('unauthenticated', detail)

/** The credential of `Authorization: Bearer …`. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1]
