import type { View } from '@stead/engine'
import { isoTime } from '@stead/world'
import type { Caller } from '../identity/caller.ts'
import type { Presented } from '../resource/present.ts'
import type { Answered, RegionCatalogs } from './catalog/catalogs.ts'
import { platformDefault } from './default.ts'
import { Region } from './model.ts'
import { isOperator } from './visibility.ts'

interface Seeing {
  readonly everything: View
  readonly catalogs: RegionCatalogs
  /** When it is about to change. */
  readonly defaultId?: string | undefined
}

/** Regions as a caller sees them: what tells of the backend or of other tenants is only for who may change them. */
export function regionsAsSeenBy(caller: Caller, { everything, catalogs, defaultId }: Seeing) {
  const isFull = isOperator(caller)
  const meantId = defaultId ?? platformDefault(everything)?.id
  return {
    kind: Region.kind,
    present(region: Region): Presented {
      const { metadata, status } = Region.present(region)
      const { provider, mode } = region.spec
      return {
        metadata,
        spec: isFull ? region.spec : { provider, mode },
        status: {
          ...(status as object),
          isDefault: region.id === meantId,
          ...lastLook(catalogs.peek(region), isFull),
        },
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
