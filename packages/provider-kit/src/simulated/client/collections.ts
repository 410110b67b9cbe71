import { admitTags } from '../../admit.ts'
import { isProviderError } from '../../errors.ts'
import type { TagFilter } from '../../filter.ts'
import type { Collection, ResourceInfo, ResourceSpec } from '../../groups/collection.ts'
import type { CallOptions, CreateOptions } from '../../provider.ts'
import { settled } from '../../settled.ts'
import { assertOwned, type Owner } from '../../tags.ts'
import { type CreateToken, fingerprint } from '../../tokens.ts'
import type { Account } from '../account/account.ts'
import type { Place, Resource } from '../account/resources.ts'
import type { Shelf } from '../account/shelf.ts'
import { Creator } from './creator.ts'
import type { Line } from './line.ts'
import { Reading } from './reading.ts'

/** What differs between one kind of resource and the next. */
export interface ResourceKind<Spec extends ResourceSpec, Info extends ResourceInfo, R extends Resource<Info>> {
  /** The word its calls begin with: `networks.create`. */
  readonly word: string
  shelf(account: Account): Shelf<Info, R>
  make(place: Place, spec: Spec, account: Account): R
  /** What else goes when one is removed. */
  removed?(resource: R, account: Account): void
}

/** One group of the provider, over one shelf of the cloud. */
export class ShelfClient<Spec extends ResourceSpec, Info extends ResourceInfo, R extends Resource<Info>>
  implements Collection<Spec, Info>
{
  readonly #line: Line
  readonly #kind: ResourceKind<Spec, Info, R>
  readonly #owner: Owner
  readonly #reading: Reading<Info>
  readonly #creator: Creator<Spec, Info>

  constructor(line: Line, owner: Owner, kind: ResourceKind<Spec, Info, R>) {
    this.#line = line
    this.#kind = kind
    this.#owner = owner
    this.#reading = new Reading(account => kind.shelf(account).roster)
    this.#creator = new Creator(line, {
      call: `${kind.word}.create`,
      make: (account, request, spec) => {
        const make = (place: Place) => kind.make(place, { ...spec, name: request.name }, account)
        return kind.shelf(account).create(request, make).view()
      },
      named: (account, name) => kind.shelf(account).named(name)?.view(),
      search: (account, token) => this.#reading.byToken(line.cloud, account, token),
    })
  }

  async create(spec: Spec, token: CreateToken, options?: CreateOptions): Promise<Info> {
    admitTags(spec, this.#owner)
    return this.#creator.once(spec, token, fingerprint(spec), options)
  }

  describe(id: string, options?: CallOptions): Promise<Info> {
    return this.#reading.describe(this.#line, id, options)
  }

  list(filter: TagFilter, options?: CallOptions): AsyncIterable<readonly Info[]> {
    return this.#reading.list(this.#line, filter, () => true, options)
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    try {
      await this.owned(id, options)
    } catch (error) {
      if (isProviderError(error, 'NotFound')) return
      throw error
    }
    const effect = (account: Account) => {
      const removed = this.#kind.shelf(account).remove(id)
      if (removed) this.#kind.removed?.(removed, account)
    }
    await this.act('delete', effect, options)
  }

  /** Refuses what is not ours. */
  protected async owned(id: string, options: CallOptions): Promise<void> {
    const { cloud, client } = this.#line
    const info = await settled(client, cloud.profile.consistency.describe, () => this.describe(id, options), options)
    assertOwned(info, this.#owner.controlPlane)
  }

  protected act<T>(verb: string, effect: (account: Account) => T, { signal }: CallOptions): Promise<T> {
    return this.#line.call(`${this.#kind.word}.${verb}`, effect, signal)
  }
}
