import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'

/**
 * The reading end of a named pipe. Services hold both ends of what they print into: when we die they are not killed by a
 * broken pipe, and wait for the next reader once it is full. Nothing they print is lost.
 */
export class PipeReader {
  readonly #socket: Socket
  /** Resolves when everything was read and nobody holds the other end any more. */
  readonly ended: Promise<void>

  constructor(path: string, take: (chunk: Buffer) => void) {
    // Not blocking: the kernel tells when there is something, instead of a thread waiting for each.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    this.#socket = new Socket({ fd: file, readable: true, writable: false })
    this.#socket.on('data', take)
    this.#socket.on('error', () => this.#socket.destroy())
    this.ended = new Promise(resolve => this.#socket.once('close', () => resolve()))
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** An end for a service: both directions, see above. To be closed once the service has it. */
export const openForService = (path: string): number => openSync(path, constants.O_RDWR)
