import type { Series } from '@stead/engine'
import { coarser, type Point, unpack } from './points.ts'
import { type ReadingName, readingNames, whole } from './reading.ts'
import { coarseTracks, tracks } from './tracks.ts'

export interface Stretch {
  readonly from: number
  readonly to: number
  readonly step: number
}

/** One line of a chart. */
export interface Line {
  readonly name: ReadingName
  readonly service?: string
  readonly points: readonly (readonly [number, number | null])[]
}

/** What is known of a stretch of time, as finely as it was kept: each moment from the finest track that reaches back to it. */
export async function pointsIn(
  series: Pick<Series, 'read'>,
  subject: string,
  { from, to }: Pick<Stretch, 'from' | 'to'>,
): Promise<readonly Point[]> {
  const found = await Promise.all(
    tracks.map(async ({ name: track, piece }) => {
      const pieces = await series.read({ subjects: [subject], track, from: from - piece, before: to })
      return pieces.flatMap(({ data }) => unpack(data)).filter(({ at }) => at >= from && at < to)
    }),
  )
  let until = Number.POSITIVE_INFINITY
  const taken = found.flatMap(points => {
    const earlier = points.filter(({ at }) => at < until)
    until = Math.min(until, ...points.map(({ at }) => at))
    return earlier
  })
  return taken.sort((a, b) => a.at - b.at)
}

/** In steps of this length, in which each minute counts the same, however finely it is known. */
const evenly = (points: readonly Point[], step: number): readonly Point[] =>
  [...coarseTracks.map(track => track.step as number).filter(each => each < step), step].reduce(coarser, points)

/** Lines with a value, or null, for every step of the stretch. */
export function linesOf(
  points: readonly Point[],
  { from, to, step }: Stretch,
  { services, names }: { readonly services?: readonly string[]; readonly names?: readonly ReadingName[] },
): readonly Line[] {
  const steps = new Map(evenly(points, step).map(point => [point.at, point.readings]))
  const all = services ?? [...new Set([whole, ...points.flatMap(({ readings }) => Object.keys(readings))])].sort()
  const moments = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step)
  return all.flatMap(service =>
    (names ?? readingNames).flatMap((name): Line[] => {
      const values = moments.map(at => [at, steps.get(at)?.[service]?.[name] ?? null] as const)
      // A line of which nothing is known is shown to who asks for it by name.
      if (!names && values.every(([, value]) => value === null)) return []
      return [{ name, ...(service !== whole && { service }), points: values }]
    }),
  )
}
