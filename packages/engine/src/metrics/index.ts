export {
  type CounterMetric,
  durationBuckets,
  type GaugeMetric,
  type HistogramMetric,
  type MetricFamily,
  type Metrics,
} from './metrics.ts'
export { createMetrics, type MetricsRegistry, openMetricsContentType } from './registry.ts'
