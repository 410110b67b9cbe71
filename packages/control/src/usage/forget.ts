import type { ReadCache, Series, Store } from '@stead/engine'
import { instances } from '../instances/model.ts'

const pageSize = 500

/** Forgets what was measured of instances as soon as they are gone, whichever node removed them. */
export const forgetMeasured = (cache: Pick<ReadCache, 'onChange'>, series: Pick<Series, 'remove'>): (() => void) =>
  cache.onChange(({ changes }) => {
    const gone = changes.filter(({ op, object }) => op === 'remove' && object.kind === instances)
    // What cannot be done now is done at the next start.
    if (gone.length > 0) series.remove(gone.map(({ object }) => object.id)).catch(() => {})
  })

/** Forgets what was measured of instances that went while nobody looked. */
export async function sweepMeasured(
  {
    store,
    cache,
  }: { readonly store: Pick<Store, 'series' | 'head'>; readonly cache: Pick<ReadCache, 'reached' | 'platform'> },
  signal: AbortSignal,
): Promise<void> {
  await cache.reached(store.head(), signal)
  for (let after = ''; !signal.aborted; ) {
    const page = await store.series.subjects({ after, limit: pageSize })
    const gone = page.filter(id => cache.platform().get(instances, id) === undefined)
    if (gone.length > 0) await store.series.remove(gone)
    if (page.length < pageSize) return
    after = page.at(-1)!
  }
}
