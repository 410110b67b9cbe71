import { WebSocket } from 'ws'
import { channels, controlFrame, frame } from '../terminal/frames.ts'

export interface OpenOptions {
  readonly headers?: Record<string, string>
  readonly protocols?: readonly string[]
}

/** The refusal of a WebSocket, before it became one. */
export class Refused extends Error {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  readonly body: any

  constructor(status: number, text: string) {
    super(`refused with ${status}`)
    this.status = status
    this.body = JSON.parse(text)
  }
}

/** A client of the terminal protocol: keeps everything it hears. */
export class SocketClient {
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  readonly controls: any[] = []
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  readonly texts: any[] = []
  readonly printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  readonly socket: WebSocket
  #heard = Promise.withResolvers<void>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#take(data as Buffer)
      else this.texts.push(JSON.parse(String(data)))
      this.#heard.resolve()
      this.#heard = Promise.withResolvers()
    })
    this.closed = new Promise(resolve => {
      socket.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) })
        this.#heard.resolve()
      })
    })
    socket.on('error', () => {})
  }

  /** Rejects with `Refused` when it does not become a WebSocket. */
  static open(url: string, { headers = {}, protocols = ['stead.v1'] }: OpenOptions = {}): Promise<SocketClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], { headers })
      const client = new SocketClient(socket)
      socket.on('open', () => resolve(client))
      socket.on('unexpected-response', async (_request, response) => {
        let text = ''
        for await (const piece of response) text += piece
        reject(new Refused(response.statusCode ?? 0, text))
      })
      socket.on('error', reject)
    })
  }

  get stdout(): string {
    return Buffer.concat(this.printed.stdout).toString()
  }

  get stderr(): string {
    return Buffer.concat(this.printed.stderr).toString()
  }

  type(text: string | Uint8Array): void {
    this.socket.send(frame(channels.stdin, Buffer.from(text as string)))
  }

  say(message: object): void {
    this.socket.send(controlFrame(message as never))
  }

  /** Waits until what it has heard is so, or nothing more is to be heard. */
  async until(is: () => boolean): Promise<void> {
    while (!is() && this.socket.readyState !== WebSocket.CLOSED) await this.#heard.promise
  }

  /** What a command came to. */
  async exit(): Promise<{ readonly code: number; readonly signal?: string }> {
    await this.closed
    return this.controls.find(({ type }) => type === 'exit')
  }

  #take(data: Buffer): void {
    const rest = data.subarray(1)
    if (data[0] === channels.stdout) this.printed.stdout.push(rest)
    else if (data[0] === channels.stderr) this.printed.stderr.push(rest)
    else this.controls.push(JSON.parse(rest.toString()))
  }
}
