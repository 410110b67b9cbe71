import type { ReadCache, Store } from '@stead/engine'
import { seconds, type World } from '@stead/world'
import { Image } from '../model.ts'
import type { Staging } from './staging.ts'

/** Where others write too, this node may know of a new image only after that. */
const lag = seconds(60)

export interface Sweeping {
  readonly staging: Staging
  readonly store: Pick<Store, 'identity' | 'head' | 'headAsOf'>
  readonly cache: Pick<ReadCache, 'reached' | 'platform'>
  readonly world: World
}

/** Removes what is staged for images that are gone: a crash may leave that behind, of an upload that came too late. */
export async function sweep({ staging, store, cache, world }: Sweeping, signal: AbortSignal): Promise<void> {
  // A copy does not know of what has been made since in what it is a copy of, which may be staged in the same place.
  if (store.identity.observeOnly) return
  // In this order: content comes after its image, so an image of which something is here now is known by then.
  const owners = await staging.owners()
  await cache.reached(store.head(), signal)
  const isGone = (id: string) => cache.platform().get(Image.kind, id) === undefined
  const gone = owners.filter(isGone)
  if (gone.length > 0 && store.headAsOf) await world.sleep(lag, signal)
  for (const id of gone.filter(isGone)) await staging.remove(id)
}
