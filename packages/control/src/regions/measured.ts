import { durationBuckets, type Metrics, OpenSpan, type Tracing } from '@stead/engine'
import { isProviderError, type Provider } from '@stead/provider-kit'
import type { World } from '@stead/world'

export function providerMetrics(metrics: Metrics) {
  return {
    calls: metrics.counter('stead_provider_calls', 'Calls to backends, by what came of them', [
      'region',
      'verb',
      'result',
    ]),
    duration: metrics.histogram(
      'stead_provider_call_duration_seconds',
      'How long backends take to answer',
      durationBuckets,
      ['region', 'verb'],
    ),
  }
}

export type ProviderMetrics = ReturnType<typeof providerMetrics>

/** Streams last as long as somebody reads them: how long says nothing of the backend. */
const streams = new Set(['watch', 'logs'])
/** Answered here, without asking anybody. */
const own = new Set(['capabilities', 'close'])

export interface Measuring {
  readonly metrics: ProviderMetrics
  readonly tracing?: Tracing | undefined
  readonly world: World
}

/** What calls are told under. */
export interface Whose {
  readonly region: string
  /** The kind of provider. */
  readonly kind: string
}

/** The same provider, whose calls are counted and timed under the name of its region, and are spans of what they serve. */
export function measured(provider: Provider, whose: Whose, { metrics, tracing, world }: Measuring): Provider {
  const { region, kind } = whose
  const begin = (verb: string) => {
    const began = world.monotonic()
    const current = tracing?.current()
    const span = current && new OpenSpan(tracing!, current)
    const note = (error?: unknown) => {
      const result = error === undefined ? 'done' : isProviderError(error) ? error.code : 'failed'
      metrics.calls.with({ region, verb, result }).add()
      metrics.duration.with({ region, verb }).observe((world.monotonic() - began) / 1_000)
      const attributes = { 'stead.region': region, 'stead.provider': kind, 'stead.verb': verb }
      span?.end({ name: `provider ${verb}`, side: 'client', attributes, failure: error === undefined ? error : result })
    }
    return { span, note }
  }
  return over(provider, (name, method) => {
    if (own.has(name) || streams.has(name)) return method
    return (...values: readonly unknown[]) => {
      const { span, note } = begin(name)
      const answer = span ? tracing!.within(span, () => method(...values)) : method(...values)
      if (answer instanceof Promise) {
        answer.then(() => note(), note)
        return answer
      }
      return isIterable(answer) ? timed(answer, note) : answer
    }
  })
}

type Method = (...values: readonly unknown[]) => unknown

/** The same object with each of its methods, and those of the collections in it, made anew by their names. */
function over<T extends object>(target: T, make: (name: string, method: Method) => Method, prefix = ''): T {
  const made = new Map<string | symbol, unknown>()
  return new Proxy(target, {
    get(_, name) {
      if (made.has(name)) return made.get(name)
      const value: unknown = Reflect.get(target, name, target)
      const verb = prefix + String(name)
      if (typeof value === 'function') made.set(name, make(verb, value.bind(target) as Method))
      else if (typeof value === 'object' && value !== null) made.set(name, over(value, make, `${verb}.`))
      else return value
      return made.get(name)
    },
  })
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

/** A list is one call however many pages it has. */
async function* timed(pages: AsyncIterable<unknown>, note: (error?: unknown) => void): AsyncGenerator<unknown> {
  try {
    yield* pages
    note()
  } catch (error) {
    note(error)
    throw error
  }
}
