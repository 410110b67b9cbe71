import type { MetricFamily, Metrics } from './metrics.ts'
import { CounterSeries, GaugeSeries, HistogramSeries, type Sample, type Series } from './series.ts'

export const openMetricsContentType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** The node's metrics: parts register in it, `/metrics` writes it out. */
export interface MetricsRegistry extends Metrics {
  /** Runs before each exposition: for gauges that are read from somewhere and not kept. */
  beforeExposition(refresh: () => void): void
  /** Everything, as OpenMetrics text. */
  expose(): string
}

type MetricType = 'counter' | 'gauge' | 'histogram'

interface Definition {
  readonly name: string
  readonly type: MetricType
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets: readonly number[]
}

export function createMetrics(): MetricsRegistry {
  return new Registry()
}

class Registry implements MetricsRegistry {
  readonly #families = new Map<string, SeriesFamily<Series>>()
  readonly #refreshers: (() => void)[] = []

  // Cast, because whether labels were given decides what is answered, and only the interface's overloads can say that.
  readonly counter = ((name: string, help: string, labels: readonly string[] = []) =>
    this.#register(
      { name, type: 'counter', help, labels, buckets: [] },
      () => new CounterSeries(),
    )) as Metrics['counter']

  readonly gauge = ((name: string, help: string, labels: readonly string[] = []) =>
    this.#register({ name, type: 'gauge', help, labels, buckets: [] }, () => new GaugeSeries())) as Metrics['gauge']

  readonly histogram = ((name: string, help: string, buckets: readonly number[], labels: readonly string[] = []) =>
    this.#register(
      { name, type: 'histogram', help, labels, buckets },
      () => new HistogramSeries(buckets),
    )) as Metrics['histogram']

  beforeExposition(refresh: () => void): void {
    this.#refreshers.push(refresh)
  }

  expose(): string {
    for (const refresh of this.#refreshers) refresh()
    return `${[...this.#families.values()].map(family => family.expose()).join('')}# EOF\n`
  }

  #register<S extends Series>(definition: Definition, make: () => S): S | SeriesFamily<S> {
    let family = this.#families.get(definition.name) as SeriesFamily<S> | undefined
    if (family) family.mustEqual(definition)
    else {
      checkDefinition(definition)
      family = new SeriesFamily(definition, make)
      this.#families.set(definition.name, family)
    }
    return definition.labels.length === 0 ? family.with({}) : family
  }
}

class SeriesFamily<S extends Series> implements MetricFamily<string, S> {
  readonly #definition: Definition
  readonly #make: () => S
  /** By the labels as they are written out, which is also their identity. */
  readonly #series = new Map<string, S>()

  constructor(definition: Definition, make: () => S) {
    this.#definition = definition
    this.#make = make
  }

  with(labels: Readonly<Record<string, string>>): S {
    const key = this.#key(labels)
    let series = this.#series.get(key)
    if (!series) {
      series = this.#make()
      this.#series.set(key, series)
    }
    return series
  }

  remove(labels: Readonly<Record<string, string>>): void {
    this.#series.delete(this.#key(labels))
  }

  mustEqual(other: Definition): void {
    if (JSON.stringify(other) === JSON.stringify(this.#definition)) return
    throw new Error(
      `metric ${other.name} is registered twice, differently: ${JSON.stringify(this.#definition)} and ${JSON.stringify(other)}`,
    )
  }

  expose(): string {
    const { name, type, help } = this.#definition
    const unit = units.find(unit => name.endsWith(`_${unit}`))
    let text = `# TYPE ${name} ${type}\n`
    if (unit) text += `# UNIT ${name} ${unit}\n`
    text += `# HELP ${name} ${escapeText(help)}\n`
    for (const [key, series] of this.#series)
      for (const sample of series.samples()) text += `${this.#line(key, sample)}\n`
    return text
  }

  #line(key: string, { suffix, extra, value }: Sample): string {
    const labels = [key, extra].filter(Boolean).join(',')
    return `${this.#definition.name}${suffix}${labels && `{${labels}}`} ${formatValue(value)}`
  }

  #key(labels: Readonly<Record<string, string>>): string {
    return this.#definition.labels
      .map(label => {
        const value = labels[label]
        if (value === undefined) throw new Error(`metric ${this.#definition.name} needs a value for label ${label}`)
        return `${label}="${escapeText(value)}"`
      })
      .join(',')
  }
}

const units = ['seconds', 'bytes', 'ratio']

function checkDefinition({ name, type, labels, buckets }: Definition): void {
  const refuse = (why: string) => {
    throw new Error(`metric ${name}: ${why}`)
  }
  if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse('a name is lower case letters, digits and _')
  if (/_(total|count|sum|bucket|created|info)$/.test(name))
    refuse('its last word is one that OpenMetrics adds by itself')
  for (const label of labels)
    if (!/^[a-z][a-z0-9_]*$/.test(label) || label === 'le') refuse(`${label} cannot be a label`)
  if (type !== 'histogram') return
  if (buckets.length === 0) refuse('a histogram needs buckets')
  // Not negative: OpenMetrics forbids a sum beside negative buckets, because a sum that can fall is no counter.
  if (
    buckets.some((bound, index) => !Number.isFinite(bound) || bound < 0 || (index > 0 && bound <= buckets[index - 1]!))
  )
    refuse('buckets are finite, not negative and ascending; +Inf is added')
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }
const escapeText = (text: string): string => text.replace(/[\\"\n]/g, character => escapes[character]!)

function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}
