import type { ReconcileContext } from '@stead/engine'
import type { Capabilities, ServerInfo } from '@stead/provider-kit'
import { type Instant, millis } from '@stead/world'
import { type Server, servers, serversByRegion } from '../model.ts'
import type { OrphanReason } from '../orphans/model.ts'
import { patched } from '../status.ts'
import type { RegionMemory } from './memory.ts'
import { findingIn, oldestShown, placeOf, seen } from './picture.ts'
import type { SeenServer } from './write.ts'

/** A complete list, and when it was begun. */
export interface Census {
  readonly infos: readonly ServerInfo[]
  readonly began: { readonly now: Instant; readonly monotonic: number }
}

export interface Survey {
  readonly seen: readonly SeenServer[]
  readonly strangers: readonly { readonly info: ServerInfo; readonly reason: OrphanReason }[]
  /** Missing for longer than old pictures last, and nobody asked for that. */
  readonly missing: readonly Server[]
  /** Servers that should be there. */
  readonly expected: number
}

interface Surveying {
  readonly region: string
  readonly cache: ReconcileContext['cache']
  readonly now: Instant
  readonly capabilities: Capabilities
  readonly memory: RegionMemory
}

/** What a complete list says of a region: of each server that is in it, of those that are not, and of what is nobody's. */
export function survey({ infos, began }: Census, { region, cache, now, capabilities, memory }: Surveying): Survey {
  const { consistency } = capabilities
  const relabels = canRelabel(capabilities)
  const finding = findingIn(cache)
  const found: SeenServer[] = []
  const strangers: { info: ServerInfo; reason: OrphanReason }[] = []
  const notBefore = oldestShown(began.now, consistency.list)
  const there = new Set<string>()
  for (const info of infos) {
    const place = placeOf(info, region, finding)
    if (place.type === 'server') {
      there.add(place.server.id)
      const status = seen(place.server, { info, relabels, notBefore }, now)
      if (status) found.push({ server: place.server, status })
    } else if (place.type !== 'launching') strangers.push({ info, reason: place.type })
  }
  const absent = cache
    .list({ kind: servers, index: { name: serversByRegion.name, key: region } })
    .items.filter(({ id, status }) => status.backendId !== undefined && !there.has(id))
  // What is still to be claimed does not carry our tags, and is in no list of ours.
  const unasked = absent.filter(
    ({ deletedAt, status }) => deletedAt === undefined && !status.lost && status.adopting !== 'claim',
  )
  const known = new Set(unasked.map(({ id }) => id))
  for (const id of memory.missing.keys()) if (!known.has(id)) memory.missing.delete(id)
  for (const { id } of unasked) if (!memory.missing.has(id)) memory.missing.set(id, began.monotonic)
  const window = millis(Math.max(consistency.list, consistency.describe))
  return {
    seen: [...found, ...absent.flatMap(gone)],
    strangers,
    missing: unasked.filter(({ id }) => memory.missing.get(id)! < began.monotonic - window),
    expected: there.size + unasked.length,
  }
}

export const canRelabel = ({ groups }: Capabilities): boolean => groups.update?.fields.tags !== undefined

/** What was asked to go is not listed any more: its own controller makes sure of that. */
export function gone(server: Server): SeenServer[] {
  const { status, deletedAt } = server
  if (deletedAt === undefined || !status.observed) return []
  const next = patched(status, { observed: { ...status.observed, state: 'terminated' } })
  return next ? [{ server, status: next }] : []
}
