import { connect, type Socket } from 'node:net'
import { endOfHead, readHead } from './messages.ts'

export interface Answer {
  readonly status: number
  /** The lines before the body. */
  readonly head: string
  readonly body: Buffer
}

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/**
 * One kept-alive HTTP/1.1 connection, a request at a time, on the bare socket. Node's own client takes longer for a
 * request than the server for its answer: on a small machine one would measure the client.
 */
export class HttpConnection {
  readonly #socket: Socket
  #incoming: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', chunk => this.#read(chunk))
    socket.on('error', error => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new HttpConnection(socket))
      })
    })
  }

  /** Sends a request as `encodeRequest` makes it; resolves with the answer once it is there as a whole. */
  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting) return reject(new Error('the last request on this connection is not answered yet'))
      if (this.#socket.destroyed) return reject(new Error('the connection is closed'))
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#incoming = this.#incoming.length === 0 ? chunk : Buffer.concat([this.#incoming, chunk])
    const bodyAt = endOfHead(this.#incoming)
    if (bodyAt === undefined) return
    try {
      const head = this.#incoming.toString('latin1', 0, bodyAt)
      const { status, length } = readHead(head)
      if (this.#incoming.length < bodyAt + length) return
      if (this.#incoming.length > bodyAt + length) throw new Error('the server answered more than was asked')
      const body = this.#incoming.subarray(bodyAt)
      const { resolve } = this.#waiting!
      this.#incoming = Buffer.alloc(0)
      this.#waiting = undefined
      resolve({ status, head, body })
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #fail(error: Error): void {
    this.#socket.destroy()
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }
}
