import type { EndedSpan, SpanAttributes } from '@stead/engine'

/** `SpanKind` of OTLP. */
const kinds = { internal: 1, server: 2, client: 3 }
/** `STATUS_CODE_ERROR` of OTLP. */
const error = 2

export interface Origin {
  /** Who sends: `service.name` and the like. */
  readonly resource: Readonly<Record<string, string>>
  readonly version: string
}

/** What is posted to a collector: an `ExportTraceServiceRequest` in the JSON form of OTLP. */
export const otlpRequest = (spans: readonly EndedSpan[], { resource, version }: Origin): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'stead', version }, spans: spans.map(spanOf) }],
      },
    ],
  })

const spanOf = ({ traceId, spanId, parentId, name, side, failure, ...span }: EndedSpan) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  // Sampled (1), as W3C's flags, and that it is known whether the parent is another system's (256).
  flags: 0x101 | (side === 'server' && parentId !== undefined ? 0x200 : 0),
  name,
  kind: kinds[side ?? 'internal'],
  startTimeUnixNano: nanos(span.start),
  endTimeUnixNano: nanos(Math.max(span.start, span.end)),
  attributes: attributesOf({ ...span.attributes, 'error.type': failure }),
  ...(failure !== undefined && { status: { code: error } }),
})

const attributesOf = (attributes: SpanAttributes) =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]))

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  // 64 bits, which JSON's numbers have not: OTLP writes them as text.
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Milliseconds with fractions as whole nanoseconds. A number cannot hold them; text can. */
function nanos(milliseconds: number): string {
  const whole = Math.floor(milliseconds)
  return `${whole}${String(Math.floor((milliseconds - whole) * 1e6)).padStart(6, '0')}`
}
