import { once } from 'node:events'
import { type Duration, seconds, type World } from '@stead/world'
import type { RawData } from 'ws'
import type { EndReason } from './event-stream.ts'
import { endFailed } from './stream-failure.ts'
import type { OpenStream, StreamHooks } from './streams.ts'
import type { Accepted } from './upgrade.ts'

export interface SocketStreamOptions extends StreamHooks, Accepted {
  readonly world: World
  /** What a route throws that is not the store being away: a bug, for the log. */
  readonly onBug: (error: unknown) => void
}

/** A message as it came. */
export interface Message {
  readonly data: Buffer
  readonly isBinary: boolean
}

const closeCodes: Readonly<Record<EndReason, number>> = {
  finished: 1000,
  gone: 1000,
  rights_withdrawn: 1008,
  slow_reader: 1008,
  shutting_down: 1001,
  unavailable: 1011,
  failed: 1011,
}

/** What may be on its way to the other side before whoever sends has to wait. */
const mostOnTheWay = 65_536
/** What may have come and not be taken yet, before nothing more is read. */
const mostComing = 262_144
/** The protocol allows 123 bytes. */
const longestReason = 123
/** How long the other side may take to say farewell. */
const farewellTime: Duration = seconds(5)

/** An open WebSocket: what a route sends and receives messages through. Whoever is slow is waited for, on either side. */
export class SocketStream implements OpenStream {
  readonly #options: SocketStreamOptions
  readonly #ended = new AbortController()
  #coming: Message[] = []
  #comingBytes = 0
  #arrived: (() => void) | undefined
  /** What became of it, in a few words that may be kept: for the audit log. */
  outcome: Readonly<Record<string, string | number>> = {}
  /** Called with each beat: for routes that have something to do now and then. */
  onBeat: () => void = () => {}
  #diverted: (message: Message, waiting: number) => boolean = () => false

  constructor(options: SocketStreamOptions) {
    this.#options = options
    const { socket } = options
    socket.on('message', (data, isBinary) => this.#receive({ data: bytesOf(data), isBinary }))
    socket.on('close', () => this.#close('client_left'))
    // What follows is `close`.
    socket.on('error', () => {})
  }

  /** Aborted once it has ended, whoever ended it. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  get isOpen(): boolean {
    return !this.#ended.signal.aborted
  }

  /** Resolves when there is room for more. A text is sent as text, bytes as bytes. */
  async send(data: string | Uint8Array): Promise<void> {
    const { socket, maySend } = this.#options
    if (!this.isOpen || !maySend()) return
    if (socket.bufferedAmount < mostOnTheWay) {
      socket.send(data)
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    // Called too when the connection is lost.
    socket.send(data, () => resolve())
    await promise
  }

  /** Sends what many are sent, in frames that were made once for all of them. False: wait for `drained()` before more. */
  sendFrames(frames: Buffer): boolean {
    const { connection, maySend } = this.#options
    if (!this.isOpen || !maySend()) return false
    return connection.write(frames) || connection.writableLength === 0
  }

  /** Resolves when the other side has caught up, or the stream has ended. */
  async drained(): Promise<void> {
    const { connection } = this.#options
    // What it rejects with is the end of this stream.
    if (this.isOpen && connection.writableNeedDrain)
      await once(connection, 'drain', { signal: this.signal }).catch(() => {})
  }

  /** Everything that comes, in order, until the end. One at a time: while nobody takes it, the other side is held up. */
  async *messages(): AsyncGenerator<Message> {
    while (this.isOpen) {
      const message = this.#coming.shift()
      if (!message) {
        await new Promise<void>(resolve => {
          this.#arrived = resolve
        })
        continue
      }
      this.#comingBytes -= message.data.length
      if (this.#comingBytes < mostComing) this.#options.socket.resume()
      yield message
    }
  }

  /**
   * Asked of each message that waits in line, or comes to, with how many bytes wait before it. True: it has been dealt with,
   * and waits no more.
   */
  divert(deal: (message: Message, waiting: number) => boolean): void {
    this.#diverted = deal
    const waiting = this.#coming
    this.#coming = []
    this.#comingBytes = 0
    for (const message of waiting) this.#receive(message)
  }

  end(reason: EndReason, detail: string): void {
    if (!this.isOpen) return
    const { socket, world } = this.#options
    // Else the farewell of the other side would never be read.
    socket.resume()
    socket.close(closeCodes[reason], cut(detail))
    const farewell = world.setTimer(farewellTime, () => socket.terminate())
    socket.on('close', () => farewell.cancel())
    this.#close(reason)
  }

  fail(error: unknown): void {
    if (this.isOpen) endFailed(this, error, this.#options.onBug)
  }

  /** Keeps proxies from taking silence for the end. Whether anybody is still there is for TCP to find out. */
  beat(): void {
    const { socket, maySend } = this.#options
    if (!this.isOpen || !maySend()) return
    if (socket.bufferedAmount === 0) socket.ping()
    this.onBeat()
  }

  #receive(message: Message): void {
    if (!this.isOpen || this.#diverted(message, this.#comingBytes)) return
    this.#coming.push(message)
    this.#comingBytes += message.data.length
    if (this.#comingBytes >= mostComing) this.#options.socket.pause()
    this.#wake()
  }

  #wake(): void {
    this.#arrived?.()
    this.#arrived = undefined
  }

  #close(reason: EndReason | 'client_left'): void {
    if (!this.isOpen) return
    this.#ended.abort()
    this.#coming = []
    this.#wake()
    this.#options.onEnd(reason)
  }
}

const bytesOf = (data: RawData): Buffer => {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? Buffer.from(data) : data
}

/** Cut by bytes, at a character. */
const cut = (text: string): string =>
  Buffer.from(text)
    .subarray(0, longestReason)
    .toString()
    .replace(/\ufffd$/, '')
