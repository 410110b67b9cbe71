import { type MetricsSample, type Usage, unknownUsage } from '@stead/provider-kit'
import type { Instant } from '@stead/world'
import { readOr } from '../cgroups/hierarchies.ts'
import { treeOf } from '../machine/processes.ts'
import type { Instance } from './instance.ts'
import type { Service } from './service.ts'

/** What an instance uses now, service by service. */
export function sampleOf(instance: Instance, at: Instant): MetricsSample {
  const running = [...instance.services.values()].filter(({ run }) => run !== undefined)
  const services = Object.fromEntries(running.map(service => [service.name, usageOf(service)]))
  return { at, since: instance.state.startedAt, total: total(Object.values(services)), services }
}

function usageOf(service: Service): Usage {
  const usage = service.cgroup?.usage() ?? unknownUsage
  // Without control groups the processes can still be weighed. What their dead cost is known to nobody.
  return usage.memoryBytes === null ? { ...usage, memoryBytes: residentBytes(service.run?.first?.pid) } : usage
}

const pageBytes = 4_096

function residentBytes(pid: number | undefined): number | null {
  if (pid === undefined) return null
  return treeOf(pid)
    .map(each => Number(readOr(`/proc/${each}/statm`, '0 0').split(' ')[1]) * pageBytes)
    .reduce((sum, bytes) => sum + bytes, 0)
}

/** A sum of which one part is unknown is unknown. A limit counts only when all have one. */
function total(parts: readonly Usage[]): Usage {
  if (parts.length === 0) return unknownUsage
  const names = Object.keys(unknownUsage) as (keyof Usage)[]
  const sum = (name: keyof Usage) =>
    parts.reduce<number | null>((all, part) => (all === null || part[name] === null ? null : all + part[name]), 0)
  return Object.fromEntries(names.map(name => [name, sum(name)])) as unknown as Usage
}
