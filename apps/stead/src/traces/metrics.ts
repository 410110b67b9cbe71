import type { Metrics } from '@stead/engine'

/** Registered whether or not traces are wanted, so that none can be told from not measured. */
export function traceMetrics(metrics: Metrics) {
  const spans = metrics.counter('stead_trace_spans', 'Spans of traces, by what became of them', ['result'])
  return {
    exported: spans.with({ result: 'exported' }),
    /** There was no room for them. */
    dropped: spans.with({ result: 'dropped' }),
    /** The collector refused them, or was away when the program ended. */
    failed: spans.with({ result: 'failed' }),
  }
}

export type TraceMetrics = ReturnType<typeof traceMetrics>
