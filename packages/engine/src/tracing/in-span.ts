import type { EndedSpan, SpanAttributes, SpanContext, Tracing } from '../words/tracing.ts'

/** A span that is under way. */
export class OpenSpan implements SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly #tracing: Tracing
  readonly #parentId: string
  readonly #start: number

  constructor(tracing: Tracing, parent: SpanContext) {
    this.#tracing = tracing
    this.#parentId = parent.spanId
    this.#start = tracing.now()
    this.traceId = parent.traceId
    this.spanId = tracing.newSpanId()
  }

  end(ended: Pick<EndedSpan, 'name' | 'side' | 'attributes' | 'failure'>): void {
    const { traceId, spanId } = this
    const [start, end] = [this.#start, this.#tracing.now()]
    this.#tracing.record({ traceId, spanId, parentId: this.#parentId, start, end, ...ended })
  }
}

export interface SpanDraft<T> {
  readonly name: string
  readonly side?: EndedSpan['side']
  readonly attributes: SpanAttributes
  /** What else there is to say once it is done. */
  readonly answered?: (answer: T) => Partial<Pick<EndedSpan, 'attributes' | 'failure'>>
  /** What a failure is called. */
  readonly failureOf: (error: unknown) => string
}

/** Does something in a span below the one it is asked in; where there is none, it is just done. */
export async function inSpan<T>(
  tracing: Tracing | undefined,
  { name, side, attributes, answered, failureOf }: SpanDraft<T>,
  work: (span: SpanContext | undefined) => Promise<T>,
): Promise<T> {
  const parent = tracing?.current()
  if (!tracing || !parent) return work(undefined)
  const span = new OpenSpan(tracing, parent)
  try {
    const answer = await tracing.within(span, () => work(span))
    const more = answered?.(answer)
    span.end({ name, side, attributes: { ...attributes, ...more?.attributes }, failure: more?.failure })
    return answer
  } catch (error) {
    span.end({ name, side, attributes, failure: failureOf(error) })
    throw error
  }
}
