/** Counts what happened. Only grows. Not to be confused with the store's counters, which have limits. */
export interface CounterMetric {
  add(amount?: number): void
}

/** A value that goes up and down. */
export interface GaugeMetric {
  set(value: number): void
  add(amount: number): void
}

/** How values are spread: durations, sizes. */
export interface HistogramMetric {
  observe(value: number): void
}

/** One metric split by labels. Series are made by naming them once, at 0; hold on to what `with` answers on hot paths. */
export interface MetricFamily<Label extends string, Metric> {
  with(labels: Readonly<Record<Label, string>>): Metric
  /** Forgets a series whose subject is gone, so that the number of series stays bounded. */
  remove(labels: Readonly<Record<Label, string>>): void
}

/**
 * Where a part of the house registers what it measures, once, when it is built: a metric is shown at 0 before
 * anything happened, so that an alert can tell "none" from "not measured". Asking again for the same metric answers the
 * same one; asking for it with another type, help, labels or buckets throws.
 *
 * Names are OpenMetrics family names: `stead_commits`, `stead_commit_duration_seconds`. A counter's `_total` is added
 * when it is written out.
 */
export interface Metrics {
  counter(name: string, help: string): CounterMetric
  counter<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
  ): MetricFamily<Label, CounterMetric>
  gauge(name: string, help: string): GaugeMetric
  gauge<Label extends string>(name: string, help: string, labels: readonly Label[]): MetricFamily<Label, GaugeMetric>
  histogram(name: string, help: string, buckets: readonly number[]): HistogramMetric
  histogram<Label extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels: readonly Label[],
  ): MetricFamily<Label, HistogramMetric>
}

/** 100 µs to 10 s: from a read out of memory to a call over the network. In seconds. */
export const durationBuckets: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
