import type { Instant } from '@stead/world'

/** What is not known is null: a zero is a measurement. */
export interface Usage {
  /** Processor time since the counters began. */
  readonly cpuSeconds: number | null
  /** Average use over the backend's own last window, where it only tells that. */
  readonly cpuMillis: number | null
  readonly memoryBytes: number | null
  readonly memoryLimitBytes: number | null
  readonly diskUsedBytes: number | null
  readonly diskReadBytes: number | null
  readonly diskWrittenBytes: number | null
  readonly networkReceivedBytes: number | null
  readonly networkSentBytes: number | null
}

export const unknownUsage: Usage = {
  cpuSeconds: null,
  cpuMillis: null,
  memoryBytes: null,
  memoryLimitBytes: null,
  diskUsedBytes: null,
  diskReadBytes: null,
  diskWrittenBytes: null,
  networkReceivedBytes: null,
  networkSentBytes: null,
}

export interface MetricsSample {
  readonly at: Instant
  /** When the counters began at zero; null when that is not known. Another moment than before: they began again. */
  readonly since: Instant | null
  readonly total: Usage
  readonly services: Readonly<Record<string, Usage>>
}

/** What several use together. A sum of which one part is unknown is unknown. A limit counts only when all have one. */
export function totalUsage(parts: readonly Usage[]): Usage {
  if (parts.length === 0) return unknownUsage
  const names = Object.keys(unknownUsage) as (keyof Usage)[]
  const add = (name: keyof Usage) =>
    parts.reduce<number | null>((all, part) => (all === null || part[name] === null ? null : all + part[name]), 0)
  return Object.fromEntries(names.map(name => [name, add(name)])) as unknown as Usage
}
