import type { ReconcileContext, Revision } from '@stead/engine'
import type { Capabilities, ServerInfo } from '@stead/provider-kit'
import { millis } from '@stead/world'
import { type Server, servers, serversByRegion } from '../model.ts'
import type { OrphanReason } from '../orphans/model.ts'
import { patched } from '../status.ts'
import type { RegionMemory } from './memory.ts'
import { findingIn, placeOf, seen } from './picture.ts'
import type { SeenServer } from './write.ts'

/** A complete list, and when it was begun. */
export interface Census {
  readonly infos: readonly ServerInfo[]
  readonly began: number
  /** It shows at least all that was written up to here. */
  readonly shows: Revision
}

export interface Survey {
  readonly seen: readonly SeenServer[]
  /** Servers it shows otherwise than they were written meanwhile: it may be the older of the two. */
  readonly doubted: number
  readonly strangers: readonly { readonly info: ServerInfo; readonly reason: OrphanReason }[]
  /** Missing for longer than old pictures last, and nobody asked for that. */
  readonly missing: readonly Server[]
  /** Servers that should be there. */
  readonly expected: number
}

interface Surveying {
  readonly region: string
  readonly cache: ReconcileContext['cache']
  readonly capabilities: Capabilities
  readonly memory: RegionMemory
}

/** What a complete list says of a region: of each server that is in it, of those that are not, and of what is nobody's. */
export function survey({ infos, began, shows }: Census, { region, cache, capabilities, memory }: Surveying): Survey {
  const { consistency } = capabilities
  const relabels = canRelabel(capabilities)
  const finding = findingIn(cache)
  const found: SeenServer[] = []
  const strangers: { info: ServerInfo; reason: OrphanReason }[] = []
  let doubted = 0
  const there = new Set<string>()
  for (const info of infos) {
    const place = placeOf(info, region, finding)
    if (place.type === 'server') {
      const { server } = place
      there.add(server.id)
      const status = seen(server, { info, relabels })
      if (status && server.revision > shows) doubted++
      else if (status) found.push({ server, status })
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
  for (const { id } of unasked) if (!memory.missing.has(id)) memory.missing.set(id, began)
  const window = millis(Math.max(consistency.list, consistency.describe))
  return {
    seen: [...found, ...absent.flatMap(gone)],
    doubted,
    strangers,
    missing: unasked.filter(({ id }) => memory.missing.get(id)! < began - window),
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
