import { ProviderError } from './errors.ts'
import { type ServerInfo, type ServerState, serverStates } from './server-info.ts'
import type { Tags } from './tags.ts'

/** Objects that carry all of these tags. An empty filter is refused unless `all` is said: it would reach other people's. */
export interface TagFilter {
  readonly tags: Tags
  readonly all?: boolean
}

export interface ServerFilter extends TagFilter {
  /** Servers in any of these states. Left out: every state but terminated. */
  readonly states?: readonly ServerState[]
}

/** Refuses a filter that nobody can have meant. Every list asks this before it asks the backend. */
export function checkFilter(filter: ServerFilter): void {
  if (Object.keys(filter.tags).length === 0 && !filter.all)
    throw new ProviderError('InvalidConfig', 'a list without tags would answer everything: say all: true to mean that')
  for (const state of filter.states ?? [])
    if (!serverStates.includes(state)) throw new ProviderError('InvalidConfig', `there is no state "${state}"`)
}

export function hasTags(tags: Tags, wanted: Tags): boolean {
  for (const key in wanted) if (tags[key] !== wanted[key]) return false
  return true
}

/** For backends that cannot filter by themselves. */
export const matchesFilter = (server: Pick<ServerInfo, 'state' | 'tags'>, filter: ServerFilter): boolean =>
  (filter.states?.length ? filter.states.includes(server.state) : server.state !== 'terminated') &&
  hasTags(server.tags, filter.tags)

/** A whole list in one array. It is complete, or this throws. */
export async function listAll<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = []
  for await (const page of pages) items.push(...page)
  return items
}
