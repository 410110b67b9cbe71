import type { Socket } from 'node:net'

const lengthBytes = 4

/**
 * Messages over a socket, whole and in order. What is sent in one turn of the event loop goes as one text: what this costs is
 * nobody's, and would be told as Stead's. Nothing that is launched here holds bytes, which JSON does not have.
 */
export class Wire<In, Out> {
  readonly #socket: Socket
  #incoming: Buffer = Buffer.alloc(0)
  #outgoing: Out[] = []

  constructor(socket: Socket, receive: (message: In) => void) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', chunk => {
      this.#incoming = this.#incoming.length === 0 ? chunk : Buffer.concat([this.#incoming, chunk])
      for (let text = this.#next(); text; text = this.#next())
        for (const message of JSON.parse(text) as readonly In[]) receive(message)
    })
  }

  send(message: Out): void {
    if (this.#outgoing.length === 0) setImmediate(() => this.#flush())
    this.#outgoing.push(message)
  }

  close(): void {
    this.#socket.destroy()
  }

  #flush(): void {
    const body = Buffer.from(JSON.stringify(this.#outgoing))
    this.#outgoing = []
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32LE(body.length)
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat([length, body]))
  }

  #next(): string | undefined {
    if (this.#incoming.length < lengthBytes) return undefined
    const end = lengthBytes + this.#incoming.readUInt32LE()
    if (this.#incoming.length < end) return undefined
    const text = this.#incoming.toString('utf8', lengthBytes, end)
    this.#incoming = this.#incoming.subarray(end)
    return text
  }
}
