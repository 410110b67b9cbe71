import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

const lengthBytes = 4

/** Messages over a socket, whole and in order. What is sent in one turn of the event loop goes as one write. */
export class Wire<In, Out> {
  readonly #socket: Socket
  #incoming: Buffer = Buffer.alloc(0)
  #outgoing: Buffer[] = []

  constructor(socket: Socket, receive: (message: In) => void) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', chunk => {
      this.#incoming = this.#incoming.length === 0 ? chunk : Buffer.concat([this.#incoming, chunk])
      for (let message = this.#next(); message; message = this.#next()) receive(deserialize(message) as In)
    })
  }

  send(message: Out): void {
    if (this.#outgoing.length === 0) setImmediate(() => this.#flush())
    const body = serialize(message)
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32LE(body.length)
    this.#outgoing.push(length, body)
  }

  close(): void {
    this.#socket.destroy()
  }

  #flush(): void {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(this.#outgoing))
    this.#outgoing = []
  }

  #next(): Buffer | undefined {
    if (this.#incoming.length < lengthBytes) return undefined
    const end = lengthBytes + this.#incoming.readUInt32LE()
    if (this.#incoming.length < end) return undefined
    const message = this.#incoming.subarray(lengthBytes, end)
    this.#incoming = this.#incoming.subarray(end)
    return message
  }
}
