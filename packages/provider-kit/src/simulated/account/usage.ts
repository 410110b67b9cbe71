import { hashText, type Instant } from '@stead/world'
import { type MetricsSample, type Usage, unknownUsage } from '../../groups/metrics.ts'
import type { CloudProfile } from '../profile.ts'
import type { SimServer } from '../server/server.ts'

const mebibyte = 2 ** 20

/** What a server uses: a load of its own, drawn from its id, steady over time, so that a counter is a straight line. */
export function usageOf(server: SimServer, profile: CloudProfile, now: Instant): MetricsSample {
  if (server.state !== 'active' || server.bootedAt === undefined)
    return { at: now, since: null, total: unknownUsage, services: {} }
  const seconds = (now - server.bootedAt) / 1_000
  const { source } = server.spec
  if (source.type !== 'services') {
    const flavor = profile.flavors.find(({ id }) => source.type === 'machine' && id === source.flavor)
    const limit = flavor && { cpuMillis: flavor.cpuMillis, memoryMiB: flavor.memoryMiB }
    const total = { ...load(server.id, seconds, limit ?? {}), diskUsedBytes: server.disk.bytes }
    return { at: now, since: server.bootedAt, total, services: {} }
  }
  const services = Object.fromEntries(
    Object.entries(source.services)
      .filter(([, service]) => service.role !== 'init')
      .map(([name, service]) => [name, load(`${server.id}/${name}`, seconds, service.resources)]),
  )
  return { at: now, since: server.bootedAt, total: Object.values(services).reduce(sum), services }
}

function load(key: string, seconds: number, limit: { cpuMillis?: number; memoryMiB?: number }): Usage {
  const share = 0.05 + (hashText(key) % 1_000) / 2_000
  const cpuMillis = Math.round((limit.cpuMillis ?? 1_000) * share)
  const memoryLimitBytes = limit.memoryMiB === undefined ? null : limit.memoryMiB * mebibyte
  return {
    cpuSeconds: (cpuMillis / 1_000) * seconds,
    cpuMillis,
    memoryBytes: Math.round((memoryLimitBytes ?? 256 * mebibyte) * share),
    memoryLimitBytes,
    diskUsedBytes: null,
    diskReadBytes: Math.round(seconds * share * 10_000),
    diskWrittenBytes: Math.round(seconds * share * 40_000),
    networkReceivedBytes: Math.round(seconds * share * 90_000),
    networkSentBytes: Math.round(seconds * share * 30_000),
  }
}

/** A sum is known when all of its parts are. */
function sum(a: Usage, b: Usage): Usage {
  const total: Record<string, number | null> = {}
  for (const key of Object.keys(a) as (keyof Usage)[])
    total[key] = a[key] === null || b[key] === null ? null : a[key] + b[key]
  return total as unknown as Usage
}
