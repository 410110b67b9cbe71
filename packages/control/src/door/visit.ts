import { type Duration, millis, type World } from '@stead/world'
import { type ErrorCode, fail } from '../errors/index.ts'
import { type Caller, nobody, type Place } from '../identity/caller.ts'
import type { Share } from './load.ts'
import type { Route } from './route.ts'
import type { Trace } from './trace.ts'
import type { Act, Deed } from './witness.ts'

export interface VisitOptions {
  readonly world: World
  readonly route: Route
  readonly deadline: Duration
  readonly trace: Trace
  readonly address: string
  readonly userAgent: string | undefined
}

/** One request on its way through the door: what is known of it so far, and how long it still has. */
export class Visit implements Act {
  readonly route: Route
  readonly trace: Trace
  readonly address: string
  readonly userAgent: string | undefined
  readonly startedAt: Duration
  readonly #world: World
  readonly #deadline: Duration
  #controller: AbortController | undefined
  #reason: unknown
  caller: Caller = nobody
  place: Place = { type: 'platform' }
  bodyBytes = 0
  /** The name under which somebody tries to come in; theirs to make up. */
  tried: string | undefined
  /** Of the object in the path, once it is found. */
  targetId: string | undefined
  /** What it is about, where the route alone does not say. */
  deed: Deed | undefined
  /** What it was refused with, if it was. */
  code: ErrorCode | undefined
  /** Whether it was turned away for want of a credential or a right, whatever it was told. */
  isTurnedAway = false
  /** Whether a change was committed for it. */
  hasConcluded = false
  /** Of the server, once it was let in. */
  share: Share | undefined

  constructor({ world, route, deadline, trace, address, userAgent }: VisitOptions) {
    this.#world = world
    this.route = route
    this.address = address
    this.userAgent = userAgent
    this.startedAt = world.monotonic()
    this.#deadline = millis(this.startedAt + (route.deadline ?? deadline))
    this.trace = trace
  }

  get traceId(): string {
    return this.trace.traceId
  }

  remaining(): Duration {
    return millis(Math.max(0, this.#deadline - this.#world.monotonic()))
  }

  elapsed(): Duration {
    return millis(this.#world.monotonic() - this.startedAt)
  }

  /** It is over, one way or another: gives back what it holds. */
  leave(): void {
    this.share?.giveBack()
  }

  /** Made when first asked for: most requests are answered without a wait. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  /** The client went away, or the time is up. */
  abort(reason: unknown): void {
    this.#reason ??= reason
    this.#controller?.abort(reason)
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason
  }

  /** Rejects when the time is up, whatever the work does then. */
  withinDeadline<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#world.setTimer(this.remaining(), () => {
        const seconds = Math.round(this.elapsed() / 1_000)
        const late = fail('unavailable', `this was not done within ${seconds} s`, { retryAfter: millis(1_000) })
        this.abort(late)
        reject(late)
      })
      const settle =
        <V>(how: (value: V) => void) =>
        (value: V) => {
          timer.cancel()
          how(value)
        }
      work.then(settle(resolve), settle(reject))
    })
  }
}
