import { isDeepStrictEqual } from 'node:util'
import { type ChangeSetBuilder, ConflictError, canonicalJson, changeSet, type ReconcileContext } from '@stead/engine'
import type { ServerInfo } from '@stead/provider-kit'
import { millis } from '@stead/world'
import { type Observed, type Server, type ServerStatus, servers } from './model.ts'

export const observedOf = (info: ServerInfo): Observed => ({
  state: info.state,
  ...(info.stateReason !== undefined && { stateReason: info.stateReason }),
  ...(info.launchedAt !== undefined && { launchedAt: info.launchedAt }),
  ...(info.flavor !== undefined && { flavor: info.flavor }),
  ...(info.image !== undefined && { image: info.image }),
  addresses: info.addresses,
  endpoints: info.endpoints,
  services: info.services,
})

/** Some of a status; what is undefined goes. */
export type StatusPatch = { readonly [Key in keyof ServerStatus]?: ServerStatus[Key] | undefined }

/** The status with this changed; undefined when that would be the same. */
export function patched(status: ServerStatus, patch: StatusPatch): ServerStatus | undefined {
  const isSame = (Object.keys(patch) as (keyof ServerStatus)[]).every(key => isAlike(status[key], patch[key]))
  if (isSame) return undefined
  const all = Object.entries({ ...status, ...patch }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(all) as unknown as ServerStatus
}

/** Whether both are kept as the same. A list shows every server, and nearly all of them as they were: that is found out first. */
const isAlike = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(a, b) || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))

type Writing = Pick<ReconcileContext, 'cache' | 'world' | 'commit' | 'signal'>

/** Writes an intent: only on exactly what was decided on. */
export async function writeIntent({ world, commit }: Writing, server: Server, patch: StatusPatch): Promise<void> {
  const status = patched(server.status, patch)
  if (status) await commit(changeSet(world).update(server, { status }))
}

/** How often it is tried to get in between others who write the same server: an observer, mostly, that sees what we did. */
const tries = 5

export interface OutcomeOptions {
  readonly also?: (set: ChangeSetBuilder, server: Server) => void
  /** Nothing is written on a server of which this is not true any more. */
  readonly where?: (server: Server) => boolean
}

/** Writes what came of a call, on whatever the server has become meanwhile: it happened. Answers false where it may not. */
export async function writeOutcome(
  writing: Writing,
  { id }: Pick<Server, 'id'>,
  patch: StatusPatch,
  { also, where }: OutcomeOptions = {},
): Promise<boolean> {
  const { cache, world, commit } = writing
  for (let left = tries; ; left--) {
    const server = cache.get(servers, id)
    if (server && where && !where(server)) return false
    const status = server && patched(server.status, patch)
    if (!status) return true
    const set = changeSet(world).update(server, { status })
    also?.(set, server)
    try {
      await commit(set)
      return true
    } catch (error) {
      if (left === 0 || !(error instanceof ConflictError) || error.conflict.type !== 'revision') throw error
      // Until this node reads what was in the way.
      await world.sleep(millis(20), writing.signal)
    }
  }
}

/** The status of a server that is to have these labels: what it was seen to have instead is not stray where it is the same. */
export function agreeing(status: ServerStatus, labels: Readonly<Record<string, string>>): ServerStatus {
  const { observed } = status
  if (!observed?.labels || !isDeepStrictEqual({ ...observed.labels }, { ...labels })) return status
  const { labels: _, ...rest } = observed
  return { ...status, observed: rest }
}
