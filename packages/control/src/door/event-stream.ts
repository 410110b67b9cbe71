import type { ServerResponse } from 'node:http'
import { UnavailableError } from '@stead/engine'
import { type Duration, millis, seconds, type World } from '@stead/world'

/** One server-sent event. The data is JSON text. */
export interface SentEvent {
  readonly event: string
  readonly data: string
  /** Where a client that comes back goes on: sent as Last-Event-ID. */
  readonly id?: number | string
}

/** Why the server ended a stream, in its last event. */
export const endReasons = [
  'finished',
  'gone',
  'rights_withdrawn',
  'slow_reader',
  'shutting_down',
  'unavailable',
  'failed',
] as const
export type EndReason = (typeof endReasons)[number]

export interface EventStreamLimits {
  /** What may wait for a reader before it is cut off: a slow one must not fill our memory. */
  readonly bufferBytes: number
  /** How long a reader may take nothing at all while something waits for it. */
  readonly stallTime: Duration
}

export interface EventStreamOptions {
  readonly response: ServerResponse
  readonly world: World
  readonly limits: EventStreamLimits
  /** Asked before anything is sent; ends the stream itself when the answer is no. */
  readonly maySend: () => boolean
  /** What a route throws that is not the store being away: a bug, for the log. */
  readonly onBug: (error: unknown) => void
  /** Called once, however it ended. */
  readonly onEnd: (reason: EndReason | 'client_left') => void
}

/** Room for the last event to reach a reader that is nearly gone. */
const farewellTime: Duration = seconds(5)

/** The open answer of a stream: what a route sends events through. */
export class EventStream {
  readonly #options: EventStreamOptions
  readonly #ended = new AbortController()
  #drained: PromiseWithResolvers<void> | undefined
  #waitingSince: Duration | undefined
  /** What is sent when nothing else is, so that both sides know the other is there. */
  heartbeat: () => SentEvent = () => ({ event: 'heartbeat', data: '{}' })

  constructor(options: EventStreamOptions) {
    this.#options = options
    const { response } = options
    response.on('drain', () => this.#flowing())
    response.on('close', () => this.#close('client_left'))
    // Written to after the client left, and before we were told: what follows is `close`.
    response.on('error', () => {})
  }

  /** Aborted once it has ended, whoever ended it. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  get isOpen(): boolean {
    return !this.#ended.signal.aborted
  }

  /** Whether more may be sent at once. False: the reader is behind, `await drained()` first. */
  get isFlowing(): boolean {
    return this.isOpen && this.#drained === undefined
  }

  /** Sends as it is what `encodeEvent` made: for those who send one event to many. */
  write(text: string): void {
    const { response, world, limits, maySend } = this.#options
    if (!this.isOpen || !maySend()) return
    if (!response.write(text) && !this.#drained) {
      this.#drained = Promise.withResolvers()
      this.#waitingSince = world.monotonic()
    }
    if (response.writableLength > limits.bufferBytes)
      this.end('slow_reader', 'the client reads more slowly than events come')
  }

  send(event: SentEvent): void {
    this.write(encodeEvent(event))
  }

  /** Resolves when the reader has caught up, or the stream has ended. */
  async drained(): Promise<void> {
    await this.#drained?.promise
  }

  /** Ends the stream with an event that says why. */
  end(reason: EndReason, detail: string): void {
    if (!this.isOpen) return
    const { response, world } = this.#options
    response.end(encodeEvent({ event: reason === 'gone' ? 'gone' : 'end', data: JSON.stringify({ reason, detail }) }))
    const farewell = world.setTimer(farewellTime, () => response.destroy())
    response.on('close', () => farewell.cancel())
    this.#close(reason)
  }

  /** Ends the stream because what feeds it failed. */
  fail(error: unknown): void {
    if (!this.isOpen) return
    const isAway = error instanceof UnavailableError
    if (!isAway) this.#options.onBug(error)
    if (isAway) this.end('unavailable', 'the store cannot be reached: connect again')
    else this.end('failed', 'an internal error ended this stream: connect again')
  }

  /** Called now and then: shows the reader that we are here, or finds that the reader is not. */
  beat(): void {
    const { world, limits } = this.#options
    if (this.#waitingSince === undefined) this.send(this.heartbeat())
    else if (world.monotonic() - this.#waitingSince >= limits.stallTime)
      this.end('slow_reader', 'the client has stopped reading')
  }

  #flowing(): void {
    this.#waitingSince = undefined
    this.#drained?.resolve()
    this.#drained = undefined
  }

  #close(reason: EndReason | 'client_left'): void {
    if (!this.isOpen) return
    this.#ended.abort()
    this.#flowing()
    this.#options.onEnd(reason)
  }
}

/** An event as it goes over the wire. JSON has no line breaks of its own. */
export const encodeEvent = ({ event, data, id }: SentEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // When the stream ends the connection does: no other request waits behind it.
  connection: 'close',
  // Told to proxies that would collect events until there are enough of them.
  'x-accel-buffering': 'no',
} as const

/** Defaults: a burst of 10,000 small events fits; a reader that takes nothing for half a minute is not there. */
export const defaultStreamLimits: EventStreamLimits = { bufferBytes: 8 * 1_048_576, stallTime: millis(30_000) }
