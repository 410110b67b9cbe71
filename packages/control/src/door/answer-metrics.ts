import {
  type CounterMetric,
  durationBuckets,
  type HistogramMetric,
  type MetricFamily,
  type Metrics,
} from '@stead/engine'
import type { Duration } from '@stead/world'

const classes = ['2xx', '3xx', '4xx', '5xx'] as const

/** Counts and times every answer by route. By the route's pattern, never by the path asked for: paths have no end. */
export class AnswerMetrics {
  readonly #answers: MetricFamily<'method' | 'route' | 'class', CounterMetric>
  readonly #durations: MetricFamily<'method' | 'route', HistogramMetric>

  constructor(metrics: Metrics) {
    this.#answers = metrics.counter('stead_http_answers', 'HTTP requests answered', ['method', 'route', 'class'])
    this.#durations = metrics.histogram(
      'stead_http_answer_duration_seconds',
      'Time from a request to the end of its answer',
      durationBuckets,
      ['method', 'route'],
    )
  }

  /** Finds its series once, and not for each answer: that would cost more than to count it. */
  of(method: string, route: string): RouteMeter {
    const counters = classes.map(each => this.#answers.with({ method, route, class: each }))
    return new RouteMeter(counters, this.#durations.with({ method, route }))
  }
}

/** What is counted of one route. */
export class RouteMeter {
  readonly #counters: readonly CounterMetric[]
  readonly #durations: HistogramMetric

  constructor(counters: readonly CounterMetric[], durations: HistogramMetric) {
    this.#counters = counters
    this.#durations = durations
  }

  answered(status: number, took: Duration): void {
    this.#counters[Math.trunc(status / 100) - 2]?.add()
    this.#durations.observe(took / 1_000)
  }
}
