import { type MetricsSample, totalUsage, type Usage, unknownUsage } from '@stead/provider-kit'
import { type Instant, instant } from '@stead/world'
import type { Engine } from '../engine/engine.ts'
import type { Stats } from '../engine/words.ts'
import { isUp, time, type View } from '../server/view.ts'

/** What a server uses now, service by service. */
export async function sampleOf(
  engine: Engine,
  view: View,
  at: Instant,
  signal: AbortSignal | undefined,
): Promise<MetricsSample> {
  const running = Object.entries(view.services).filter(([, container]) => isUp(container))
  const stats = running.map(async ([name, container]) => [name, await engine.stats(container!.Id, signal)] as const)
  const found = (await Promise.all(stats)).flatMap(([name, stats]) => (stats ? [[name, usageOf(stats)] as const] : []))
  // The counters of a container begin when it is started.
  const starts = running.map(([, container]) => time(container!.State.StartedAt))
  const services = Object.fromEntries(found)
  return {
    at,
    since: starts.length === 0 ? null : instant(Math.max(...starts)),
    total: withNetwork(totalUsage(Object.values(services)), found),
    services,
  }
}

/** What they receive and send they do over one network: it is counted once. */
function withNetwork(total: Usage, found: readonly (readonly [string, Usage])[]): Usage {
  if (found.length <= 1) return total
  return { ...total, networkReceivedBytes: null, networkSentBytes: null }
}

const nanoseconds = 1e9
/** Engines say the memory of the whole machine where there is no limit. */
const noLimit = 2 ** 60

function usageOf({ cpu_stats, memory_stats = {}, blkio_stats, networks }: Stats): Usage {
  const cpu = cpu_stats?.cpu_usage?.total_usage
  const { usage, limit, stats = {} } = memory_stats
  // What the kernel keeps of files and gives back when somebody needs it is no use of memory; cgroups 1 and 2 name it differently.
  const cache = stats.total_inactive_file ?? stats.inactive_file ?? 0
  const disk = (op: string) => {
    const rows = blkio_stats?.io_service_bytes_recursive
    return rows ? sum(rows.filter(row => row.op.toLowerCase() === op).map(row => row.value)) : null
  }
  const all = networks && Object.values(networks)
  return {
    ...unknownUsage,
    cpuSeconds: cpu === undefined ? null : cpu / nanoseconds,
    memoryBytes: usage === undefined ? null : Math.max(0, usage - cache),
    memoryLimitBytes: limit === undefined || limit >= noLimit ? null : limit,
    diskReadBytes: disk('read'),
    diskWrittenBytes: disk('write'),
    networkReceivedBytes: all ? sum(all.map(({ rx_bytes }) => rx_bytes)) : null,
    networkSentBytes: all ? sum(all.map(({ tx_bytes }) => tx_bytes)) : null,
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
