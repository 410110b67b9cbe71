import type { IncomingHttpHeaders } from 'node:http'
import type { CounterMetric, MetricFamily, Metrics } from '@stead/engine'
import type { World } from '@stead/world'
import { fail, Problem } from '../errors/index.ts'
import type { Caller } from '../identity/caller.ts'
import { placeId, placeOf, refusal } from './access.ts'
import type { DoorEngine } from './engine.ts'
import { Freshness, readRevision } from './freshness.ts'
import type { DoorLimits } from './limits.ts'
import { Load } from './load.ts'
import { addressGroup, RateLimit } from './rate-limit.ts'
import type { Visit } from './visit.ts'

/** What a request shows of who makes it. */
export interface Credentials {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  /** What it came on, the same for all that comes on it. */
  readonly connection?: object
}

/** Finds out who it is, or throws `fail('unauthenticated', …)`. */
export type Authenticate = (credentials: Credentials) => Promise<Caller> | Caller

type Params = Readonly<Record<string, string>>

export interface AdmissionOptions {
  readonly engine: DoorEngine
  readonly world: World
  readonly metrics: Metrics
  readonly limits: DoorLimits
  readonly authenticate: Authenticate
}

/**
 * Decides who comes in, before anything of the request is read but its path and headers. The order matters: what costs
 * least and tells least comes first, and nothing about a place is told before it is known who asks.
 */
export class Admission {
  readonly load: Load
  readonly freshness: Freshness
  readonly #options: AdmissionOptions
  readonly #credentials: RateLimit
  readonly #addresses: RateLimit
  readonly #limited: MetricFamily<'by', CounterMetric>

  constructor(options: AdmissionOptions) {
    const { engine, world, metrics, limits } = options
    this.#options = options
    this.load = new Load(limits.load, metrics)
    this.freshness = new Freshness(engine.cache, world)
    this.#credentials = new RateLimit(limits.credentialRate, world)
    this.#addresses = new RateLimit(limits.addressRate, world)
    this.#limited = metrics.counter('stead_http_rate_limited', 'Requests refused because there were too many', ['by'])
    for (const by of ['credential', 'address']) this.#limited.with({ by })
  }

  /** At once where nothing has to be waited for. */
  admit(visit: Visit, credentials: Credentials, params: Params): void | Promise<void> {
    visit.share = this.load.enter()
    if (visit.route.permission === 'public') {
      this.#takeAddress(visit)
      return
    }
    const revision = readRevision(single(credentials.headers['stead-revision']))
    const isNewEnough = revision === undefined || revision <= this.#options.engine.cache.revision
    if (isNewEnough) return this.#identify(visit, credentials, params)
    return this.freshness.await(revision).then(() => this.#identify(visit, credentials, params))
  }

  #identify(visit: Visit, credentials: Credentials, params: Params): void | Promise<void> {
    this.freshness.refuseIfBehind()
    try {
      const caller = this.#options.authenticate(credentials)
      if (!(caller instanceof Promise)) return this.#enter(visit, caller, params)
      return caller.then(
        known => this.#enter(visit, known, params),
        (error: unknown) => {
          throw this.#counted(visit, error)
        },
      )
    } catch (error) {
      throw this.#counted(visit, error)
    }
  }

  #enter(visit: Visit, caller: Caller, params: Params): void {
    const { permission, scope } = visit.route
    visit.caller = caller
    this.#take(this.#credentials, caller.credentialId, 'credential')
    visit.share!.takeAs(caller.credentialId)
    const text = scope === 'platform' ? '' : (params[scope] ?? '')
    const place = placeOf(this.#options.engine.cache, scope, text)
    const problem = refusal({ caller, permission, scope, text, place })
    visit.place = place ?? visit.place
    if (!problem) return
    visit.isTurnedAway = true
    throw problem
  }

  /** Whether the caller could come in again, and there is something to come to: asked of what stays open. */
  isStillAdmitted({ caller, route, place }: Visit): boolean {
    const { permission, scope } = route
    const still = placeOf(this.#options.engine.cache, scope, placeId(place))
    return caller.isCurrent() && !refusal({ caller, permission, scope, text: '', place: still })
  }

  /**
   * Only a failure counts against the address: who has a valid credential is not kept out by a neighbour who guesses.
   */
  #counted(visit: Visit, error: unknown): unknown {
    if (error instanceof Problem && error.code === 'unauthenticated') this.#takeAddress(visit)
    return error
  }

  #takeAddress({ address }: Visit): void {
    this.#take(this.#addresses, addressGroup(address), 'address')
  }

  #take(limit: RateLimit, name: string, by: 'credential' | 'address'): void {
    const retryAfter = limit.take(name)
    if (retryAfter === undefined) return
    this.#limited.with({ by }).add()
    throw fail('rate_limited', `too many requests from this ${by}`, { retryAfter })
  }
}

/** A header that came twice says nothing. */
export const single = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined
