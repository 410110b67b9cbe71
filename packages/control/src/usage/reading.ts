import type { MetricsSample, Usage } from '@stead/provider-kit'
import type { Duration } from '@stead/world'

/** What is measured. Counters become rates: a counter alone says nothing to a person. */
export const readingNames = [
  'cpu',
  'memoryBytes',
  'memoryLimitBytes',
  'diskUsedBytes',
  'diskReadBytesPerSecond',
  'diskWrittenBytesPerSecond',
  'networkReceivedBytesPerSecond',
  'networkSentBytesPerSecond',
] as const
export type ReadingName = (typeof readingNames)[number]

/** What was measured at one moment. What is not known is null: a zero is a measurement. */
export type Reading = Readonly<Record<ReadingName, number | null>>

/** Of an instance: all of it under the empty name, and each of its services. */
export type Readings = Readonly<Record<string, Reading>>

export const whole = ''

const gauges = ['memoryBytes', 'memoryLimitBytes', 'diskUsedBytes'] as const
const counters = {
  diskReadBytesPerSecond: 'diskReadBytes',
  diskWrittenBytesPerSecond: 'diskWrittenBytes',
  networkReceivedBytesPerSecond: 'networkReceivedBytes',
  networkSentBytesPerSecond: 'networkSentBytes',
} as const satisfies Partial<Record<ReadingName, keyof Usage>>

/** What a sample says, with the one before it. Rates are over the time between; not over one longer than `longest`. */
export function readingsOf(sample: MetricsSample, before: MetricsSample | undefined, longest: Duration): Readings {
  const elapsed = before && isComparable(sample, before, longest) ? (sample.at - before.at) / 1_000 : 0
  const of = (usage: Usage, earlier: Usage | undefined) => readingOf(usage, elapsed > 0 ? earlier : undefined, elapsed)
  return {
    [whole]: of(sample.total, before?.total),
    ...Object.fromEntries(
      Object.entries(sample.services).map(([name, usage]) => [name, of(usage, before?.services[name])]),
    ),
  }
}

/** Counters that began anew in between have nothing to do with each other. */
const isComparable = (sample: MetricsSample, before: MetricsSample, longest: Duration): boolean =>
  sample.since === before.since && sample.at - before.at <= longest

function readingOf(usage: Usage, before: Usage | undefined, seconds: number): Reading {
  const rate = (name: keyof Usage) => {
    const [now, then] = [usage[name], before?.[name] ?? null]
    // One that has shrunk was set back, whatever `since` says.
    return now === null || then === null || now < then ? null : (now - then) / seconds
  }
  return {
    cpu: rounded(rate('cpuSeconds') ?? (usage.cpuMillis === null ? null : usage.cpuMillis / 1_000)),
    ...(Object.fromEntries(gauges.map(name => [name, usage[name]])) as Pick<Reading, (typeof gauges)[number]>),
    ...(Object.fromEntries(Object.entries(counters).map(([name, counter]) => [name, rounded(rate(counter))])) as Pick<
      Reading,
      keyof typeof counters
    >),
  }
}

/** A ten-thousandth of a core, or of a byte: what is beyond is noise, and costs room. */
export const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 1e4) / 1e4)
