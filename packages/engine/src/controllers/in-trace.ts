import type { View } from '../cache/view.ts'
import { OpenSpan } from '../tracing/in-span.ts'
import type { StoredObject } from '../words/object.ts'
import type { ReconcileTracing } from './controller.ts'
import type { ReconcileResult } from './runtime-metrics.ts'

interface About {
  readonly object: StoredObject
  /** Of the controller. */
  readonly name: string
  readonly hasActed: () => boolean
}

/** What is done for somebody who asked is part of their trace. A look that led to nothing is not worth telling. */
export async function inTrace<T extends { readonly result: ReconcileResult }>(
  { tracing, of }: ReconcileTracing,
  cache: View,
  { object, name, hasActed }: About,
  reconcile: () => Promise<T>,
): Promise<T> {
  const parent = of(object, cache)
  // Whoever woke it may be in a trace of their own, which this is no part of.
  if (!parent) return tracing.within(undefined, reconcile)
  const span = new OpenSpan(tracing, parent)
  const ended = await tracing.within(span, reconcile)
  const failure = ended.result === 'retry' ? ended.result : undefined
  const { kind, id } = object
  const attributes = { 'stead.controller': name, 'stead.kind': kind, 'stead.id': id, 'stead.result': ended.result }
  if (hasActed() || failure) span.end({ name: `reconcile ${name}`, attributes, failure })
  return ended
}
