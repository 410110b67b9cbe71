import type { IdempotencyMode } from '../../capabilities.ts'
import { ProviderError } from '../../errors.ts'
import type { CreateToken } from '../../tokens.ts'

/** Told apart from other conflicts, as clouds do by a code of its own. */
export class NameTaken extends ProviderError {}

/** What a create is told apart by. A cloud that knows no tokens ignores them; one that lets names repeat ignores those. */
export interface CreateRequest {
  readonly token: CreateToken
  readonly fingerprint: string
  readonly name: string
}

/** Keeps a create from happening twice, in the one way this cloud offers. */
export class Ledger {
  readonly #mode: IdempotencyMode
  readonly #tokens = new Map<CreateToken, { readonly id: string; readonly fingerprint: string }>()
  readonly #names = new Map<string, string>()

  constructor(mode: IdempotencyMode) {
    this.#mode = mode
  }

  /** The id of what this very request made before. Refuses what contradicts it. */
  earlier(request: CreateRequest): string | undefined {
    if (this.#mode === 'name' && this.#names.has(request.name))
      throw new NameTaken('Conflict', `the name ${request.name} is taken`)
    const earlier = this.#mode === 'token' ? this.#tokens.get(request.token) : undefined
    if (earlier && earlier.fingerprint !== request.fingerprint)
      throw new ProviderError('Conflict', `token ${request.token} was used for something else`)
    return earlier?.id
  }

  note(request: CreateRequest, id: string): void {
    if (this.#mode === 'token') this.#tokens.set(request.token, { id, fingerprint: request.fingerprint })
    if (this.#mode === 'name') this.#names.set(request.name, id)
  }

  named(name: string): string | undefined {
    return this.#names.get(name)
  }

  free(name: string, id: string): void {
    if (this.#names.get(name) === id) this.#names.delete(name)
  }
}
