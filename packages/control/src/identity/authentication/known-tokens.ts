import { hash } from 'node:crypto'
import type { AuthenticatedCaller } from '../authenticated-caller.ts'
import type { Principal } from '../principals.ts'
import type { Token } from '../tokens/model.ts'

/** Who came with a token: the very versions of the objects that said so. */
export interface Known {
  readonly token: Token
  readonly principal: Principal
  readonly caller: AuthenticatedCaller
}

/** Who came last on a connection, and with what. */
interface Last {
  readonly authorization: string
  readonly known: Known
}

/** Some 500 bytes each. Past this the first to have come is forgotten, and is found out anew. */
const mostKnown = 10_000

/**
 * Who came with which `Authorization` header before: to read a token and prove its secret takes longer than all the rest
 * of admission. Kept are hashes, never what was sent, and only of headers that proved themselves: who guesses leaves
 * nothing here. That it was good once says nothing about now: whoever asks compares the versions and the time.
 *
 * A client asks again and again on one connection, and to hash takes half of what is left. So the last header that proved
 * itself on a connection is kept as it came, for as long as that connection is open.
 */
export class KnownTokens {
  readonly #byHash = new Map<string, Known>()
  readonly #lastOn = new WeakMap<object, Last>()

  /** Who it is, if this very header came last on this connection. */
  lastOn(connection: object, authorization: string): Known | undefined {
    const last = this.#lastOn.get(connection)
    return last && isSame(last.authorization, authorization) ? last.known : undefined
  }

  rememberLastOn(connection: object, authorization: string, known: Known): void {
    this.#lastOn.set(connection, { authorization, known })
  }

  /** Under which name a header is known. */
  nameOf(authorization: string): string {
    return hash('sha256', authorization, 'base64url')
  }

  get(name: string): Known | undefined {
    return this.#byHash.get(name)
  }

  remember(name: string, known: Known): void {
    this.#byHash.set(name, known)
    if (this.#byHash.size > mostKnown) this.#byHash.delete(this.#byHash.keys().next().value!)
  }

  forget(name: string): void {
    this.#byHash.delete(name)
  }

  get size(): number {
    return this.#byHash.size
  }
}

/** Looks at every character, whatever it finds: a proxy sends what others guess on the same connection. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
