import { once } from 'node:events'
import type { Socket } from 'node:net'
import { decodeJson, encodeFrame, encodeJson, type Frame, FrameReader, type FrameType, frameTypes } from './frames.ts'

/** One connection between a provider and its supervisor, as frames. */
export class Channel {
  readonly #socket: Socket
  readonly #reader = new FrameReader()
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>

  constructor(socket: Socket) {
    this.#socket = socket
    // What is wrong with a connection shows as its end; there is nothing else to do about it.
    socket.on('error', () => {})
    this.closed = new Promise(resolve => socket.once('close', () => resolve()))
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** Once only: a second one would take half of the frames. */
  onFrame(take: (frame: Frame) => void): void {
    this.#socket.on('data', chunk => {
      for (const frame of this.#reader.push(chunk as Buffer)) take(frame)
    })
  }

  onJson(take: (value: unknown) => void): void {
    this.onFrame(({ type, payload }) => {
      if (type === frameTypes.json) take(decodeJson(payload))
    })
  }

  /** Whether the other side keeps up. */
  sendJson(value: unknown): boolean {
    return this.#socket.writable && this.#socket.write(encodeJson(value))
  }

  send(type: FrameType, payload: Uint8Array): boolean {
    return this.#socket.writable && this.#socket.write(encodeFrame(type, payload))
  }

  /** Resolves when the other side has taken what was sent, or is gone. */
  async drained(): Promise<void> {
    if (this.#socket.writableNeedDrain) await Promise.race([once(this.#socket, 'drain'), this.closed])
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Does not keep the process alive. */
  unref(): void {
    this.#socket.unref()
  }

  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}
