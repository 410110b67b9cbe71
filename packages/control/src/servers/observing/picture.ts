import { ownTags, type ServerInfo } from '@stead/provider-kit'
import { type Instant, millis, minutes } from '@stead/world'
import type { Server, ServerStatus } from '../model.ts'
import { observedOf, patched, type StatusPatch } from '../status.ts'

/** Where a backend object belongs. */
export type Place =
  /** The server whose backend object it is. */
  | { readonly type: 'server'; readonly server: Server }
  /** A launch of this server is under way: it finds its object itself. */
  | { readonly type: 'launching' }
  /** A second object of a server that has another. */
  | { readonly type: 'duplicate'; readonly server: Server }
  | { readonly type: 'unknown' }

/** Whose object this is, by the tag that we wrote on it and the id that we keep. */
export function placeOf(
  { id, tags }: Pick<ServerInfo, 'id' | 'tags'>,
  region: string,
  find: (serverId: string) => Server | undefined,
): Place {
  const serverId = tags[ownTags.serverId]
  const server = serverId === undefined ? undefined : find(serverId)
  if (!server || server.spec.region !== region) return { type: 'unknown' }
  if (server.status.backendId === id) return { type: 'server', server }
  return server.status.backendId === undefined ? { type: 'launching' } : { type: 'duplicate', server }
}

/** What a picture was taken of: not older than this, by the clock of whoever took it. */
export interface Picture {
  readonly info: ServerInfo
  /** Undefined for news from a stream: each comes after the one before. */
  readonly notBefore: Instant | undefined
}

/** Further ahead than that is no time at which anything was done, but a clock that is wrong. */
const clocksAgreeWithin = minutes(1)

/** The status with what is seen now, if that is something new. */
export function seen({ status }: Server, { info, notBefore }: Picture, now: Instant): ServerStatus | undefined {
  if (notBefore !== undefined && status.changedAt !== undefined) {
    const isOlder = status.changedAt >= notBefore && status.changedAt <= now + clocksAgreeWithin
    if (isOlder) return undefined
  }
  const patch: StatusPatch = { observed: observedOf(info), ...(isThere(info) && { lost: undefined }) }
  return patched(status, patch)
}

export const isThere = ({ state }: Pick<ServerInfo, 'state'>): boolean => state !== 'terminated'

/** The oldest moment that a list begun now may show. */
export const oldestShown = (now: Instant, age: number): Instant => (now - millis(age)) as Instant
