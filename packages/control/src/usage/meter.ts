import type { Series } from '@stead/engine'
import type { MetricsSample } from '@stead/provider-kit'
import { type Duration, millis, minutes } from '@stead/world'
import { type Point, pack } from './points.ts'
import { readingsOf } from './reading.ts'
import { raw } from './tracks.ts'

interface Gauge {
  last: MetricsSample
  /** Measured since the piece began. */
  points: Point[]
  /** Whether all of them are stored. */
  stored: boolean
}

/** Rates are not worked out over more than so many times the usual pause: what happened in a gap is not known. */
const longestGap = 3
/** Until then what is measured is in the memory of one node only. */
const usualDelay = minutes(1)
const piecesAtOnce = 200

/** What a node has measured in a region and not yet put away. */
export class Meter {
  /** When the next sample is due, by the monotonic clock. */
  due = 0
  /** How far coarser tracks are made, by name. */
  readonly rolledUp = new Map<string, number>()
  readonly #gauges = new Map<string, Gauge>()
  #flushedAt = 0

  /** Takes in one sample of each, by its id at the backend. What has none leaves a gap. */
  take(
    running: ReadonlyMap<string, string>,
    samples: ReadonlyMap<string, MetricsSample>,
    { now, every }: { readonly now: number; readonly every: Duration },
  ): void {
    for (const [backendId, instance] of running) {
      const sample = samples.get(backendId)
      if (!sample) continue
      const gauge = this.#gauges.get(instance)
      const readings = readingsOf(sample, gauge?.last, millis(every * longestGap))
      const point = { at: now, readings }
      if (!gauge) this.#gauges.set(instance, { last: sample, points: [point], stored: false })
      else {
        gauge.last = sample
        gauge.points.push(point)
        gauge.stored = false
      }
    }
  }

  /** Forgets those that are gone. */
  keepOnly(isThere: (instance: string) => boolean): void {
    for (const instance of this.#gauges.keys()) if (!isThere(instance)) this.#gauges.delete(instance)
  }

  /**
   * Puts away what was measured. A piece that is not full yet is put away too, and replaced later, so that every node can
   * show it; where there is much to measure that has to wait until it is full.
   */
  async flush(
    series: Pick<Series, 'put'>,
    { now, isBusy }: { readonly now: number; readonly isBusy: boolean },
  ): Promise<void> {
    const isDue = !isBusy && now - this.#flushedAt >= usualDelay
    const isFull = ({ points }: Gauge) => points.length > 0 && now - points[0]!.at >= raw.piece
    const ready = [...this.#gauges].filter(([, gauge]) => isFull(gauge) || (isDue && !gauge.stored))
    for (let from = 0; from < ready.length; from += piecesAtOnce) {
      const some = ready.slice(from, from + piecesAtOnce)
      await series.put(
        some.map(([subject, { points }]) => ({
          ...{ subject, track: raw.name, start: points[0]!.at, data: pack(points) },
        })),
      )
      for (const [, gauge] of some) {
        gauge.stored = true
        if (isFull(gauge)) gauge.points = []
      }
    }
    if (isDue && ready.length > 0) this.#flushedAt = now
  }
}
