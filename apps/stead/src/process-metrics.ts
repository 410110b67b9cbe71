import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { MetricsRegistry } from '@stead/engine'
import type { World } from '@stead/world'
import type { Part } from './parts.ts'

const quantiles = ['0.5', '0.99', '1']

/** What the process itself uses: memory, processor time, and how long its event loop keeps others waiting. */
export function measureProcess(metrics: MetricsRegistry, world: World): Part {
  const memory = metrics.gauge('process_resident_memory_bytes', 'Memory the process holds')
  const heap = metrics.gauge('process_heap_bytes', 'JavaScript heap in use')
  const processor = metrics.counter('process_cpu_seconds', 'Processor time used, in user and system mode')
  const uptime = metrics.gauge('process_uptime_seconds', 'Time since the process could serve')
  const lag = metrics.gauge(
    'stead_event_loop_lag_seconds',
    'How late the event loop ran what was due, since the metrics were last read',
    ['quantile'],
  )
  const lags = quantiles.map(quantile => ({ quantile: Number(quantile), gauge: lag.with({ quantile }) }))

  const startedAt = world.monotonic()
  let processorBefore = 0
  // It looks so often and reports the time between looks: what goes beyond that is lag. Every 20 ms it would be most of
  // what an idle Stead does.
  const resolutionMillis = 100
  const delays = monitorEventLoopDelay({ resolution: resolutionMillis })
  delays.enable()

  metrics.beforeExposition(() => {
    const { rss, heapUsed } = process.memoryUsage()
    memory.set(rss)
    heap.set(heapUsed)
    const { user, system } = process.cpuUsage()
    const processorNow = (user + system) / 1e6
    processor.add(Math.max(0, processorNow - processorBefore))
    processorBefore = processorNow
    uptime.set((world.monotonic() - startedAt) / 1_000)
    for (const { quantile, gauge } of lags) gauge.set(lagAt(delays, quantile, resolutionMillis))
    delays.reset()
  })
  return { name: 'process metrics', close: async () => void delays.disable() }
}

function lagAt(delays: ReturnType<typeof monitorEventLoopDelay>, quantile: number, resolutionMillis: number): number {
  if (delays.count === 0) return 0
  return Math.max(0, delays.percentile(quantile * 100) / 1e9 - resolutionMillis / 1_000)
}
