import { ProviderError } from '../../errors.ts'
import { checkFilter, type ServerFilter, type TagFilter } from '../../filter.ts'
import type { CallOptions } from '../../provider.ts'
import { createTags, type Tags } from '../../tags.ts'
import type { CreateToken } from '../../tokens.ts'
import type { Account } from '../account/account.ts'
import type { Entry, Page, Roster } from '../account/roster.ts'
import type { SimulatedCloud } from '../cloud.ts'
import type { Line } from './line.ts'

type Tagged = { readonly tags: Tags }

/** Reads from a roster as outsiders do: page by page, and from a picture that may be old. */
export class Reading<View extends Tagged> {
  readonly #roster: (account: Account) => Roster<View, Entry<View>>

  constructor(roster: (account: Account) => Roster<View, Entry<View>>) {
    this.#roster = roster
  }

  one(cloud: SimulatedCloud, account: Account, id: string): View | undefined {
    const sight = cloud.readAt('describe')
    const roster = this.#roster(account)
    const view = roster.at(id, sight.at)
    if (cloud.profile.consistency.describe > 0) sight.noteIf(view !== roster.at(id, cloud.clockwork.now))
    return view
  }

  byToken(cloud: SimulatedCloud, account: Account, token: CreateToken): View | undefined {
    return this.#page(cloud, account, { tags: { [createTags.token]: token }, after: 0, matches: () => true }).items[0]
  }

  async describe(line: Line, id: string, { signal }: CallOptions = {}): Promise<View> {
    const view = await line.call('describe', account => this.one(line.cloud, account, id), signal)
    if (!view) throw new ProviderError('NotFound', `there is no ${id}`)
    return view
  }

  async *list(
    line: Line,
    filter: ServerFilter | TagFilter,
    matches: (view: View) => boolean,
    { signal }: CallOptions = {},
  ): AsyncGenerator<readonly View[], void, undefined> {
    checkFilter(filter)
    for (let after: number | undefined = 0; after !== undefined; ) {
      const request: { tags: Tags; after: number; matches: (view: View) => boolean } = {
        tags: filter.tags,
        after,
        matches,
      }
      const page: Page<View> = await line.call('list', account => this.#page(line.cloud, account, request), signal)
      yield page.items
      after = page.next
    }
  }

  #page(
    cloud: SimulatedCloud,
    account: Account,
    request: { readonly tags: Tags; readonly after: number; readonly matches: (view: View) => boolean },
  ): Page<View> {
    const sight = cloud.readAt('list')
    const page = this.#roster(account).page({ ...request, at: sight.at, limit: cloud.profile.pageSize })
    sight.noteIf(page.stale)
    return page
  }
}
