import { durationBuckets, type Metrics } from '../metrics/index.ts'

export const reconcileResults = ['done', 'again', 'retry', 'park', 'conflict', 'lost', 'forgotten'] as const
export type ReconcileResult = (typeof reconcileResults)[number]

/** What every controller counts. Registered when the controller is, so that each series is there at 0. */
export function controllerMetrics(metrics: Metrics, controller: string) {
  const of = { controller }
  const results = metrics.counter('stead_reconciles', 'Reconciles that ended, by how', ['controller', 'result'])
  const depth = metrics.gauge('stead_queue_depth', 'Keys that wait for a turn', ['controller', 'lane'])
  return {
    results: Object.fromEntries(
      reconcileResults.map(result => [result, results.with({ controller, result })]),
    ) as Readonly<Record<ReconcileResult, ReturnType<typeof results.with>>>,
    depth: {
      live: depth.with({ controller, lane: 'live' }),
      resync: depth.with({ controller, lane: 'resync' }),
    },
    duration: metrics
      .histogram('stead_reconcile_duration_seconds', 'How long reconciles take', durationBuckets, ['controller'])
      .with(of),
    running: metrics.gauge('stead_reconciles_running', 'Reconciles under way', ['controller']).with(of),
    delayed: metrics.gauge('stead_queue_delayed', 'Keys that wait for a time', ['controller']).with(of),
    parked: metrics.gauge('stead_queue_parked', 'Keys that wait for a change', ['controller']).with(of),
    oldest: metrics
      .gauge('stead_queue_oldest_seconds', 'How long the key that has waited longest has waited', ['controller'])
      .with(of),
    conflicts: metrics
      .counter('stead_reconcile_conflicts', 'Commits refused because something had changed', ['controller'])
      .with(of),
    panics: metrics
      .counter('stead_reconcile_panics', 'Throws out of controller code that nothing explains: bugs', ['controller'])
      .with(of),
  }
}

export type ControllerMetrics = ReturnType<typeof controllerMetrics>

export const outsideResults = ['done', 'failed', 'deadline', 'lost', 'refused'] as const
export type OutsideResult = (typeof outsideResults)[number]

export function outsideMetrics(metrics: Metrics) {
  return {
    calls: metrics.counter('stead_outside_calls', 'Calls to the outside, by how they ended', ['call', 'result']),
    duration: metrics.histogram('stead_outside_duration_seconds', 'How long calls take', durationBuckets, ['call']),
  }
}

export type OutsideMetrics = ReturnType<typeof outsideMetrics>
