import type { Tracing } from '@stead/engine'
import { Tracer } from '@stead/engine/tracing'
import type { Part } from '../parts.ts'
import { Exporter, type ExporterOptions } from './exporter.ts'

export interface TracesOptions extends ExporterOptions {
  /** Of traces that begin here, from 0 to 1. */
  readonly sampling: number
}

/** What it takes to record traces. Loaded only where that is wanted. */
export function openTraces({ sampling, ...options }: TracesOptions): {
  readonly tracing: Tracing
  readonly part: Part
} {
  const exporter = new Exporter(options)
  const tracing = new Tracer({ world: options.world, sampling, record: exporter.take })
  return { tracing, part: { name: 'traces', close: () => exporter.close() } }
}
