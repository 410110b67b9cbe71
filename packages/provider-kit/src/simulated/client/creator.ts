import { createByName, type Found, SearchedCreates } from '../../once.ts'
import type { CreateOptions } from '../../provider.ts'
import { createTags, type Tags } from '../../tags.ts'
import type { CreateToken } from '../../tokens.ts'
import type { Account } from '../account/account.ts'
import { type CreateRequest, NameTaken } from '../account/ledger.ts'
import type { Line } from './line.ts'

type Tagged = { readonly tags: Tags }

/** One kind of thing that can be created, in the parts that the three ways of creating once need. */
export interface Creatable<Spec, View extends Tagged> {
  /** The call it counts as. */
  readonly call: string
  make(account: Account, request: CreateRequest, spec: Spec): View
  named(account: Account, name: string): View | undefined
  /** By the token tag, as old as a list may be. */
  search(account: Account, token: CreateToken): View | undefined
}

/**
 * Creates once in the way this cloud offers: by its tokens, by its unique names, or by searching for the tag. Where the cloud
 * keeps no tokens, token and fingerprint are written on what is made.
 */
export class Creator<Spec extends Tagged & { readonly name: string }, View extends Tagged> {
  readonly #line: Line
  readonly #kind: Creatable<Spec, View>
  readonly #searched: SearchedCreates<View>

  constructor(line: Line, kind: Creatable<Spec, View>) {
    this.#line = line
    this.#kind = kind
    this.#searched = new SearchedCreates(line.client, line.cloud.profile.settle)
  }

  once(spec: Spec, token: CreateToken, fingerprint: string, options: CreateOptions = {}): Promise<View> {
    const mode = this.#line.cloud.profile.idempotency
    const marks = mode === 'token' ? {} : { [createTags.token]: token, [createTags.fingerprint]: fingerprint }
    const marked = { ...spec, tags: { ...spec.tags, ...marks } }
    const name = mode === 'name' ? `${spec.name}.${token}` : spec.name
    const make = (signal?: AbortSignal) =>
      this.#line.call(
        this.#kind.call,
        account => this.#kind.make(account, { token, fingerprint, name }, marked),
        signal,
      )
    if (mode === 'token') return make(options.signal)
    if (mode === 'search') {
      const find = (signal?: AbortSignal) => this.#find('list', account => this.#kind.search(account, token), signal)
      return this.#searched.once({ token, fingerprint, find, make }, options)
    }
    const find = () => this.#find('describe', account => this.#kind.named(account, name), options.signal)
    const isTaken = (error: unknown) => error instanceof NameTaken
    return createByName({ token, fingerprint, find, isTaken, make: () => make(options.signal) })
  }

  async #find(
    call: string,
    look: (account: Account) => View | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Found<View> | undefined> {
    const view = await this.#line.call(call, look, signal)
    return view && { value: view, fingerprint: view.tags[createTags.fingerprint] }
  }
}
