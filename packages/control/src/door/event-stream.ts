import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duration, millis, seconds, type World } from '@stead/world'
import type { Piece } from './piece.ts'
import { endFailed } from './stream-failure.ts'

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

/** How what is sent is written. */
export interface StreamFormat {
  readonly headers: Readonly<Record<string, string>>
  /** What comes before everything else. */
  readonly opening: string
  /** What is sent when nothing else is, so that both sides know the other is there. */
  readonly heartbeat: string
  /** The last words. */
  end(reason: EndReason, detail: string): string
}

export interface EventStreamOptions {
  readonly response: ServerResponse
  readonly format: StreamFormat
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
  /** What is written past the response, once its head is on its way. */
  #connection: Socket | undefined
  /** As the format has it, unless the route has more to say. */
  heartbeat: () => string
  /** Whether it may be read as slowly as its reader likes: nothing piles up for it here, for the route sends only what it has room for. */
  isPatient = false

  constructor(options: EventStreamOptions) {
    this.#options = options
    const { response, format } = options
    this.heartbeat = () => format.heartbeat
    response.on('drain', this.#flowing)
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

  /** Sends text as it is. */
  write(text: string | Uint8Array): void {
    const { response, maySend } = this.#options
    if (this.isOpen && maySend()) this.#sent(response.write(text))
  }

  /** Sends what many are sent. */
  writePiece({ framed, plain }: Piece): void {
    const { response, maySend } = this.#options
    if (!this.isOpen || !maySend()) return
    if (this.#connection) this.#sent(this.#connection.write(framed) || this.#connection.writableLength === 0)
    else {
      this.#sent(response.write(plain))
      this.#goPast()
    }
  }

  /** From now on pieces go straight to the connection, if all that was written before is there. */
  #goPast(): void {
    const { response } = this.#options
    const { socket } = response
    // One that waits for the answer before it has none yet; and who speaks HTTP/1.0 gets no frames.
    if (!socket || !response.chunkedEncoding || response.writableLength > socket.writableLength) return
    this.#connection = socket
    socket.on('drain', this.#flowing)
  }

  #sent(hasRoom: boolean): void {
    const { response, world, limits } = this.#options
    if (!hasRoom && !this.#drained) {
      this.#drained = Promise.withResolvers()
      this.#waitingSince = world.monotonic()
    }
    if (response.writableLength > limits.bufferBytes)
      this.end('slow_reader', 'the client reads more slowly than events come')
  }

  /** Resolves when the reader has caught up, or the stream has ended. */
  async drained(): Promise<void> {
    await this.#drained?.promise
  }

  /** Ends the stream with an event that says why. */
  end(reason: EndReason, detail: string): void {
    if (!this.isOpen) return
    const { response, world, format } = this.#options
    response.end(format.end(reason, detail))
    const farewell = world.setTimer(farewellTime, () => response.destroy())
    response.on('close', () => farewell.cancel())
    this.#close(reason)
  }

  /** Ends the stream because what feeds it failed. */
  fail(error: unknown): void {
    if (this.isOpen) endFailed(this, error, this.#options.onBug)
  }

  /** Called now and then: shows the reader that we are here, or finds that the reader is not. */
  beat(): void {
    const { world, limits } = this.#options
    if (this.#waitingSince === undefined) this.write(this.heartbeat())
    else if (!this.isPatient && world.monotonic() - this.#waitingSince >= limits.stallTime)
      this.end('slow_reader', 'the client has stopped reading')
  }

  readonly #flowing = (): void => {
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

/** For every format: when the stream ends the connection does, so that no other request waits behind it. */
const lasting = {
  connection: 'close',
  // Told to proxies that would collect events until there are enough of them.
  'x-accel-buffering': 'no',
} as const

export const serverSentEvents: StreamFormat = {
  headers: { 'content-type': 'text/event-stream; charset=utf-8', ...lasting },
  opening: 'retry: 2000\n\n',
  heartbeat: encodeEvent({ event: 'heartbeat', data: '{}' }),
  end: (reason, detail) =>
    encodeEvent({ event: reason === 'gone' ? 'gone' : 'end', data: JSON.stringify({ reason, detail }) }),
}

export const jsonLinesType = 'application/x-ndjson'

/** One JSON document in each line. An empty line means nothing but that we are here. */
export const jsonLines: StreamFormat = {
  headers: { 'content-type': `${jsonLinesType}; charset=utf-8`, ...lasting },
  opening: '',
  heartbeat: '\n',
  end: (reason, detail) => `${JSON.stringify({ end: { reason, detail } })}\n`,
}

/** Defaults: a burst of 10,000 small events fits; a reader that takes nothing for half a minute is not there. */
export const defaultStreamLimits: EventStreamLimits = { bufferBytes: 8 * 1_048_576, stallTime: millis(30_000) }
