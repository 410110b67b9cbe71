/** A place in a trace that is recorded: what is done there is below it. Ids are W3C trace context's, in hexadecimal. */
export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
}

/**
 * What is said of a span. From closed lists and ids only: whoever receives traces is not who may read secrets, and words of
 * backends, callers and errors may hold anything.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Something that was done, from when to when. */
export interface EndedSpan extends SpanContext {
  /** Absent where a trace begins. */
  readonly parentId?: string | undefined
  readonly name: string
  /** Whether it answers somebody outside, or asks somebody there; neither unless said. */
  readonly side?: 'server' | 'client' | undefined
  /** In milliseconds since the epoch, with fractions. */
  readonly start: number
  readonly end: number
  readonly attributes: SpanAttributes
  /** That it did not work, in one word from a closed list. */
  readonly failure?: string | undefined
}

/** Where a part of the house says what it did for whom. Only there when traces are wanted. */
export interface Tracing {
  /** Whether a trace that begins here is recorded. The same for everybody who asks. */
  samples(traceId: string): boolean
  /** Inside which span the code runs that asks, as long as that is under way. */
  current(): SpanContext | undefined
  /** Does something inside a span, or outside any. What goes on after it has ended belongs to nobody. */
  within<T>(span: SpanContext | undefined, work: () => T): T
  newSpanId(): string
  /** In milliseconds since the epoch, with fractions; steady within one process. */
  now(): number
  record(span: EndedSpan): void
}
