import type { GaugeMetric, MetricFamily, Metrics } from '@stead/engine'
import { type Duration, seconds, type Timer, type World } from '@stead/world'
import { fail } from '../errors/problem.ts'
import type { Caller } from '../identity/caller.ts'
import { type EndReason, type EventStreamLimits, endReasons } from './event-stream.ts'

export interface StreamLimits extends EventStreamLimits {
  readonly perCaller: number
  readonly total: number
  readonly heartbeat: Duration
  /** How many of the last change-sets are kept in memory for those who come back, or fall behind for a moment. */
  readonly keptEntries: number
}

export interface StreamRequest {
  readonly caller: Caller
  readonly stillAllowed: () => boolean
}

/** Whatever stays open, however it is written. */
export interface OpenStream {
  /** Ends it, and says why. */
  end(reason: EndReason, detail: string): void
  /** Ends it because of what went wrong here. */
  fail(error: unknown): void
  /** Called now and then: shows the other side that we are here, or finds that it is not. */
  beat(): void
}

/** What a stream is made with. */
export interface StreamHooks {
  /** Asked before anything is sent; ends the stream itself when the answer is no. */
  readonly maySend: () => boolean
  /** To be called once, however it ended. */
  readonly onEnd: (reason: EndReason | 'client_left') => void
}

interface Open {
  readonly stream: OpenStream
  /** Which state of rights it was last found to be allowed in. */
  checkedAt: number
  readonly principalId: string
  readonly stillAllowed: () => boolean
}

/** Every open stream of this node: counted, kept alive, re-checked when rights change, ended when we stop. */
export class Streams {
  readonly #world: World
  readonly #limits: StreamLimits
  readonly #open = new Set<Open>()
  readonly #perCaller = new Map<string, number>()
  readonly #gauge: GaugeMetric
  readonly #ends: MetricFamily<'reason', { add(): void }>
  #timer: Timer | undefined
  #isClosing = false
  #isRecheckDue = false
  /** Moves whenever rights may have changed. */
  #rights = 0

  constructor({ world, limits, metrics }: { world: World; limits: StreamLimits; metrics: Metrics }) {
    this.#world = world
    this.#limits = limits
    this.#gauge = metrics.gauge('stead_event_streams', 'Event streams open now')
    this.#ends = metrics.counter('stead_event_streams_ended', 'Event streams ended, by why', ['reason'])
    for (const reason of [...endReasons, 'client_left']) this.#ends.with({ reason })
  }

  /** Refuses a stream too many, before anything is sent. */
  admit(caller: Caller): void {
    const retryAfter = seconds(5)
    if (this.#isClosing) throw fail('unavailable', 'the server is stopping', { retryAfter })
    if ((this.#perCaller.get(caller.principalId) ?? 0) >= this.#limits.perCaller)
      throw fail('rate_limited', `one caller may hold ${this.#limits.perCaller} streams open`, { retryAfter })
    if (this.#open.size >= this.#limits.total)
      throw fail('unavailable', 'this server holds as many streams open as it can', { retryAfter })
  }

  open<Stream extends OpenStream>(
    { caller, stillAllowed }: StreamRequest,
    make: (hooks: StreamHooks) => Stream,
  ): Stream {
    const { principalId } = caller
    const stream = make({
      maySend: () => this.#isAllowed(entry),
      onEnd: reason => this.#ended(entry, reason),
    })
    const entry: Open = { principalId, stillAllowed, stream, checkedAt: this.#rights }
    this.#open.add(entry)
    this.#perCaller.set(principalId, (this.#perCaller.get(principalId) ?? 0) + 1)
    this.#gauge.set(this.#open.size)
    if (!this.#timer) this.#tick()
    return stream
  }

  /**
   * Rights may have changed. From now on nothing is sent through a stream that has not been asked again; all are, once
   * for all changes of the moment.
   */
  recheck(): void {
    this.#rights++
    if (this.#isRecheckDue || this.#open.size === 0) return
    this.#isRecheckDue = true
    queueMicrotask(() => {
      this.#isRecheckDue = false
      for (const entry of this.#open) this.#isAllowed(entry)
    })
  }

  /** Ends them all, and admits no more. */
  close(): void {
    this.#isClosing = true
    for (const { stream } of this.#open) stream.end('shutting_down', 'the server is stopping: connect again')
  }

  get size(): number {
    return this.#open.size
  }

  /** Time alone takes rights away too, when a token expires: so each beat asks again. */
  #tick(): void {
    this.#timer = this.#world.setTimer(this.#limits.heartbeat, () => {
      this.#tick()
      this.#rights++
      for (const { stream } of this.#open) stream.beat()
    })
  }

  /** Ends the stream if not. */
  #isAllowed(entry: Open): boolean {
    if (entry.checkedAt === this.#rights) return true
    entry.checkedAt = this.#rights
    const { stream, stillAllowed } = entry
    try {
      if (stillAllowed()) return true
      stream.end('rights_withdrawn', 'the right to read this has ended')
    } catch (error) {
      // Who cannot be asked is not let on.
      stream.fail(error)
    }
    return false
  }

  #ended(entry: Open, reason: EndReason | 'client_left'): void {
    this.#open.delete(entry)
    const left = this.#perCaller.get(entry.principalId)! - 1
    if (left > 0) this.#perCaller.set(entry.principalId, left)
    else this.#perCaller.delete(entry.principalId)
    this.#gauge.set(this.#open.size)
    this.#ends.with({ reason }).add()
    if (this.#open.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }
}
