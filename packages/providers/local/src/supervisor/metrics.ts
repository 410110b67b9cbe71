import { type MetricsSample, totalUsage, type Usage, unknownUsage } from '@stead/provider-kit'
import { type Instant, instant } from '@stead/world'
import { readOr } from '../cgroups/hierarchies.ts'
import { processorSeconds, treeOf } from '../machine/processes.ts'
import type { Instance } from './instance.ts'
import type { Service } from './service.ts'

/** What an instance uses now, service by service. */
export function sampleOf(instance: Instance, at: Instant): MetricsSample {
  const running = [...instance.services.values()].filter(({ run }) => run !== undefined)
  const services = Object.fromEntries(running.map(service => [service.name, usageOf(service)]))
  const total = { ...totalUsage(Object.values(services)), ...instance.network.read(instance) }
  return { at, since: sinceOf(instance, running), total, services }
}

/** Groups count from the start of the instance. Processes that are weighed one by one count from their own. */
function sinceOf({ state }: Instance, running: readonly Service[]): Instant | null {
  if (running.every(({ cgroup }) => cgroup !== undefined)) return state.startedAt
  const starts = running.map(({ name }) => state.services[name]?.run?.startedAt ?? 0)
  return starts.length === 0 ? null : instant(Math.max(...starts))
}

function usageOf(service: Service): Usage {
  const usage = service.cgroup?.usage() ?? unknownUsage
  if (usage.memoryBytes !== null && usage.cpuSeconds !== null) return usage
  const pids = service.run?.first ? treeOf(service.run.first.pid) : []
  return {
    ...usage,
    cpuSeconds: usage.cpuSeconds ?? sum(pids.map(processorSeconds)),
    memoryBytes: usage.memoryBytes ?? sum(pids.map(residentBytes)),
  }
}

const sum = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : numbers.reduce((total, number) => total + number, 0)

const pageBytes = 4_096

const residentBytes = (pid: number): number => Number(readOr(`/proc/${pid}/statm`, '0 0').split(' ')[1]) * pageBytes
