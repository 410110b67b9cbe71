import type { CounterMetric, GaugeMetric, HistogramMetric } from './metrics.ts'

/** One line of the exposition: `name<suffix>{<series labels>,<extra>} value`. */
export interface Sample {
  readonly suffix: string
  readonly extra?: string
  readonly value: number
}

/** One combination of label values, able to say its current values. */
export interface Series {
  samples(): Sample[]
}

export class CounterSeries implements CounterMetric, Series {
  #value = 0

  add(amount = 1): void {
    if (!(amount >= 0)) throw new RangeError(`a counter only grows; it was given ${amount}`)
    this.#value += amount
  }

  samples(): Sample[] {
    return [{ suffix: '_total', value: this.#value }]
  }
}

export class GaugeSeries implements GaugeMetric, Series {
  #value = 0

  set(value: number): void {
    this.#value = value
  }

  add(amount: number): void {
    this.#value += amount
  }

  samples(): Sample[] {
    return [{ suffix: '', value: this.#value }]
  }
}

export class HistogramSeries implements HistogramMetric, Series {
  readonly #bounds: readonly number[]
  /** Observations per bucket, not cumulative: observing touches one number, whatever the number of buckets. */
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    if (Number.isNaN(value)) throw new RangeError('a histogram cannot place NaN')
    let bucket = 0
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++
    this.#counts[bucket]!++
    this.#sum += value
  }

  samples(): Sample[] {
    let cumulative = 0
    const buckets = this.#counts.map((count, index) => {
      cumulative += count
      return { suffix: '_bucket', extra: `le="${formatBound(this.#bounds[index])}"`, value: cumulative }
    })
    return [...buckets, { suffix: '_count', value: cumulative }, { suffix: '_sum', value: this.#sum }]
  }
}

/** OpenMetrics compares `le` as text and asks for the float form: `1.0`, not `1`. */
function formatBound(bound: number | undefined): string {
  if (bound === undefined) return '+Inf'
  return Number.isInteger(bound) ? bound.toFixed(1) : String(bound)
}
