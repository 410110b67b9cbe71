import type { Tracing } from '@stead/engine'
import { routeName } from './route.ts'
import type { Visit } from './visit.ts'

/** What a status from here on says: it was ours to answer, and we could not. */
const ourFault = 500

/** Records requests of traces that are recorded. */
export class RequestSpans {
  readonly #tracing: Tracing

  constructor(tracing: Tracing) {
    this.#tracing = tracing
  }

  /** Does what was asked for inside the span of the request. */
  within<T>({ trace }: Visit, answer: () => T): T {
    return trace.flags === '01' ? this.#tracing.within(trace, answer) : answer()
  }

  ended(visit: Visit, status: number): void {
    const { trace, route, caller, place, code } = visit
    if (trace.flags !== '01') return
    const end = this.#tracing.now()
    this.#tracing.record({
      ...{ traceId: trace.traceId, spanId: trace.spanId, parentId: trace.parentId, name: routeName(route) },
      ...{ side: 'server', start: end - visit.elapsed(), end },
      attributes: {
        'http.request.method': route.method,
        'http.route': route.path,
        'http.response.status_code': status,
        'stead.code': code,
        'stead.principal': caller.principalId,
        'stead.organization': 'organizationId' in place ? place.organizationId : undefined,
        'stead.project': 'projectId' in place ? place.projectId : undefined,
        'stead.id': visit.targetId,
      },
      failure: status >= ourFault ? (code ?? String(status)) : undefined,
    })
  }
}
