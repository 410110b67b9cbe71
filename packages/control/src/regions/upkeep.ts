import type { ReadCache } from '@stead/engine'
import type { RegionCatalogs } from './catalog/catalogs.ts'
import type { RegionClients } from './clients.ts'
import { Region } from './model.ts'

/** Lets go of what this node keeps of a region as soon as the region is gone, whichever node removed it. */
export const forgetRemoved = (
  cache: Pick<ReadCache, 'onChange'>,
  { clients, catalogs }: { readonly clients: RegionClients; readonly catalogs: RegionCatalogs },
): (() => void) =>
  cache.onChange(({ changes }) => {
    for (const { op, object } of changes)
      if (op === 'remove' && object.kind === Region.kind) {
        clients.forget(object.id)
        catalogs.forget(object.id)
      }
  })
