import { AsyncLocalStorage } from 'node:async_hooks'
import type { World } from '@stead/world'
import type { EndedSpan, SpanContext, Tracing } from '../words/tracing.ts'

export interface TracerOptions {
  readonly world: World
  /** Of traces that begin here, from 0 to 1. */
  readonly sampling: number
  readonly record: (span: EndedSpan) => void
}

/** Where promises were made. Timers and connections that outlive the work would otherwise count to it for ever. */
interface Place {
  span: SpanContext | undefined
}

/** A wall clock that is further away than this from ours was set: ours is set after it. */
const mostDrift = 50

/** Records what is done, and knows for which trace by following promises. */
export class Tracer implements Tracing {
  readonly record: Tracing['record']
  readonly #world: World
  readonly #sampling: number
  readonly #places = new AsyncLocalStorage<Place>()
  #anchor: number

  constructor({ world, sampling, record }: TracerOptions) {
    this.#world = world
    this.#sampling = sampling
    this.record = record
    this.#anchor = world.now() - world.monotonic()
  }

  /** By the last 56 bits of the id, which W3C says are random: every system with the same ratio takes the same traces. */
  samples(traceId: string): boolean {
    return Number.parseInt(traceId.slice(-14), 16) < this.#sampling * 2 ** 56
  }

  current(): SpanContext | undefined {
    return this.#places.getStore()?.span
  }

  within<T>(span: SpanContext | undefined, work: () => T): T {
    const place: Place = { span }
    const leave = () => {
      place.span = undefined
    }
    return this.#places.run(place, () => {
      const answer = work()
      if (answer instanceof Promise) answer.then(leave, leave)
      else leave()
      return answer
    })
  }

  newSpanId(): string {
    return Buffer.from(this.#world.randomBytes(8)).toString('hex')
  }

  /** The wall clock's milliseconds are too coarse to tell which of two spans came first. */
  now(): number {
    const [wall, ticks] = [this.#world.now(), this.#world.monotonic()]
    if (Math.abs(wall - (this.#anchor + ticks)) > mostDrift) this.#anchor = wall - ticks
    return this.#anchor + ticks
  }
}
