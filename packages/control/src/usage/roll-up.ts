import type { ReconcileContext, Store } from '@stead/engine'
import { instant, millis, minutes } from '@stead/world'
import { instances, instancesByRegion } from '../instances/model.ts'
import { coarser, pack, unpack } from './points.ts'
import { type CoarseTrack, coarseTracks } from './tracks.ts'

type Shelf = Pick<Store, 'series' | 'marks' | 'setMarks'>

/** What was measured at the end of a piece may be put away some time after it. */
const grace = minutes(6)
const instancesAtOnce = 50
/** Others have the store in between. */
const betweenBatches = millis(20)

const markOf = (region: string, { name }: CoarseTrack) => `usage-rolled-up/${region}/${name}`

/**
 * Makes the pieces of coarser tracks out of finer ones once they are complete. How far that is stands in a mark: after a
 * takeover it goes on there. Made twice, it is the same. `done` is what this node knows of that.
 */
export async function rollUp(
  store: Shelf,
  { region, done }: { readonly region: string; readonly done: Map<string, number> },
  context: ReconcileContext,
): Promise<void> {
  const now = context.world.now()
  for (const track of coarseTracks) {
    const end = Math.floor((now - grace) / track.piece) * track.piece
    if (done.get(track.name) === end) continue
    const [mark] = await store.marks([markOf(region, track)])
    // What is older is gone from the finer track.
    const oldest = Math.ceil((now - track.from.keep) / track.piece) * track.piece
    const begin = Math.max(oldest, mark ? Number(mark.value) : Math.min(oldest, end))
    for (let start = begin; start < end; start += track.piece)
      await makePieces(store, { region, track, start }, context)
    if (begin < end) await store.setMarks([{ mark: markOf(region, track), at: instant(now), value: String(end) }])
    done.set(track.name, end)
  }
}

async function makePieces(
  { series }: Shelf,
  { region, track, start }: { readonly region: string; readonly track: CoarseTrack; readonly start: number },
  { cache, world, signal }: ReconcileContext,
): Promise<void> {
  const ids = cache
    .list({ kind: instances, index: { name: instancesByRegion.name, key: region } })
    .items.map(({ id }) => id)
  const end = start + track.piece
  for (let from = 0; from < ids.length; from += instancesAtOnce) {
    const subjects = ids.slice(from, from + instancesAtOnce)
    const finer = await series.read({ subjects, track: track.from.name, from: start - track.from.piece, before: end })
    const bySubject = Map.groupBy(finer, ({ subject }) => subject)
    const pieces = [...bySubject].flatMap(([subject, parts]) => {
      const points = parts.flatMap(({ data }) => unpack(data)).filter(({ at }) => at >= start && at < end)
      if (points.length === 0) return []
      return [{ subject, track: track.name, start, data: pack(coarser(points, track.step)) }]
    })
    await series.put(pieces)
    await world.sleep(betweenBatches, signal)
  }
}
