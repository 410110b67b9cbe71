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

/** Some 500 bytes each. Past this the first to have come is forgotten, and is found out anew. */
const mostKnown = 10_000

/**
 * Who came with which `Authorization` header before: to read a token and prove its secret takes longer than all the rest
 * of admission. Kept are hashes, never what was sent, and only of headers that proved themselves: who guesses leaves
 * nothing here. That it was good once says nothing about now: whoever asks compares the versions and the time.
 */
export class KnownTokens {
  readonly #byHash = new Map<string, Known>()

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
