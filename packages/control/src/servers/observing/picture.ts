import { isDeepStrictEqual } from 'node:util'
import type { View } from '@stead/engine'
import { labelsIn, ownTags, type ServerInfo, type Tags } from '@stead/provider-kit'
import { isSteady, type Server, type ServerStatus, servers, serversByBackend } from '../model.ts'
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
export function placeOf({ id, tags }: Pick<ServerInfo, 'id' | 'tags'>, region: string, find: Finding): Place {
  const serverId = tags[ownTags.serverId]
  const server = serverId === undefined ? undefined : find.byId(serverId)
  const isHere = server?.spec.region === region
  if (isHere && server.status.backendId === id) return { type: 'server', server }
  // Adopted, and its tags do not say so yet.
  const adopter = find.byBackend(id)
  if (adopter?.spec.region === region) return { type: 'server', server: adopter }
  if (!isHere) return { type: 'unknown' }
  return server.status.backendId === undefined ? { type: 'launching' } : { type: 'duplicate', server }
}

/** How servers are found. */
export interface Finding {
  byId(serverId: string): Server | undefined
  byBackend(backendId: string): Server | undefined
}

export const findingIn = (cache: Pick<View, 'get' | 'list'>): Finding => ({
  byId: serverId => cache.get(servers, serverId),
  byBackend: key => cache.list({ kind: servers, index: { name: serversByBackend.name, key } }).items[0],
})

export interface Picture {
  readonly info: ServerInfo
  /** Whether labels can be changed there: where they cannot, they are those of the launch. */
  readonly relabels: boolean
}

/** The status with what is seen now, if that is something new. */
export function seen(server: Server, { info, relabels }: Picture): ServerStatus | undefined {
  const labels = relabels && isSteady(server) ? strayLabels(info, server) : undefined
  const observed = { ...observedOf(info), ...(labels && { labels }) }
  const patch: StatusPatch = { observed, ...(isThere(info) && { lost: undefined }) }
  return patched(server.status, patch)
}

function strayLabels({ tags }: ServerInfo, { labels }: Server): Tags | undefined {
  const found = labelsIn(tags)
  return isDeepStrictEqual(found, { ...labels }) ? undefined : found
}

export const isThere = ({ state }: Pick<ServerInfo, 'state'>): boolean => state !== 'terminated'
