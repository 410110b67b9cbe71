import { isoTime } from '@stead/world'
import type { Caller } from '../identity/caller.ts'
import type { Presented } from '../resource/present.ts'
import type { Answered, RegionCatalogs } from './catalog/catalogs.ts'
import { Region } from './model.ts'
import { isOperator } from './visibility.ts'

/** Regions as a caller sees them: what tells of the backend or of other tenants is only for who may change them. */
export function regionsAsSeenBy(caller: Caller, catalogs: RegionCatalogs) {
  const isFull = isOperator(caller)
  return {
    kind: Region.kind,
    present(region: Region): Presented {
      const { metadata, status } = Region.present(region)
      const { provider, mode } = region.spec
      return {
        metadata,
        spec: isFull ? region.spec : { provider, mode },
        status: { isDefault: false, ...(status as object), ...lastLook(catalogs.peek(region), isFull) },
      }
    },
  }
}

/** What this node saw when it last asked the backend. How full it is tells of other tenants. */
function lastLook(answered: Answered | undefined, isFull: boolean) {
  if (!answered) return {}
  const { at, latency, catalog } = answered
  const capacity = isFull && catalog.capacity ? { capacity: catalog.capacity } : {}
  return { checkedAt: isoTime(at), latencyMs: Math.round(latency), ...capacity }
}
