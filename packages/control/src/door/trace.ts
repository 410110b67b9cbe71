import type { World } from '@stead/world'

/** Where a request belongs in a trace that may span several systems. */
export interface Trace {
  readonly traceId: string
  /** Our own part of it; also the request's id in the log. */
  readonly spanId: string
  readonly flags: string
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Continues the caller's trace (W3C trace context), or starts one. A malformed header is as good as none. */
export function traceOf(world: World, traceparent: string | undefined): Trace {
  const drawn = Buffer.from(world.randomBytes(24)).toString('hex')
  const spanId = drawn.slice(32)
  if (traceparent === undefined) return { traceId: drawn.slice(0, 32), spanId, flags: '00' }
  const [, version, traceId, parentId, flags, more] = pattern.exec(traceparent) ?? []
  const isValid =
    version !== undefined &&
    version !== 'ff' &&
    !(version === '00' && more) &&
    !/^0+$/.test(traceId!) &&
    !/^0+$/.test(parentId!)
  // Only the flags we know are passed on: sampled (01).
  return isValid
    ? { traceId: traceId!, spanId, flags: Number.parseInt(flags!, 16) & 1 ? '01' : '00' }
    : { traceId: drawn.slice(0, 32), spanId, flags: '00' }
}

export const traceparent = ({ traceId, spanId, flags }: Trace): string => `00-${traceId}-${spanId}-${flags}`
