import type { SpanContext, StoredObject, View } from '@stead/engine'
import { openOperations } from '../operations/lifecycle.ts'

/** The way in which a place in a recorded trace is kept in the store, and sent to others: W3C's. */
export const traceparentOf = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`

export function spanOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = ''] = traceparent.split('-')
  return { traceId, spanId }
}

/**
 * The span of an operation follows from its id, so that every node that works for it, now or after a crash, puts its work
 * below the same span, which is recorded when the operation has ended. The last 16 digits of an id are random.
 */
export const operationSpanId = (id: string): string => id.replaceAll('-', '').slice(-16)

/** A server is an instance's, and whatever is a server's is one step further: longer chains are not looked along. */
const mostSteps = 3

/** For whom an object is reconciled: for the newest operation under way of itself, or of what it belongs to. */
export function traceOf(object: StoredObject, cache: View): SpanContext | undefined {
  let at: StoredObject | undefined = object
  for (let step = 0; at && step < mostSteps; step++) {
    const operation = openOperations(cache, at).findLast(({ spec }) => spec.traceparent !== undefined)
    if (operation) return { ...spanOf(operation.spec.traceparent!), spanId: operationSpanId(operation.id) }
    at = at.owner && cache.get(at.owner.kind, at.owner.id)
  }
  return undefined
}
