import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** What becomes of a message: passed on, lost, or the last one its link sees. */
export type Verdict = 'pass' | 'drop' | 'cut'

export interface Message {
  /** The letter of PostgreSQL's protocol; '' for the first one of a client. */
  readonly type: string
  readonly bytes: Buffer
}

/**
 * Stands between a client and PostgreSQL on the loopback interface and does to their messages what networks, poolers and
 * stalled processes do. Understands where messages begin and end; no TLS.
 */
export class PostgresProxy {
  readonly port: number
  /** Asked about every message. */
  fromClient: (message: Message) => Verdict = () => 'pass'
  fromServer: (message: Message) => Verdict = () => 'pass'
  /** Whether a session goes on at the server when its client is gone: to the server, the client only stalls. */
  keepsSessions = false
  private readonly server: Server
  private readonly links = new Set<Link>()
  private isHeld = false

  private constructor(server: Server, port: number) {
    this.server = server
    this.port = port
  }

  static async start(target: { readonly port: number }): Promise<PostgresProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('listening, but on no port')
    const proxy = new PostgresProxy(server, address.port)
    server.on('connection', client => proxy.link(client, connect(target.port, '127.0.0.1')))
    return proxy
  }

  /** The same address, through the proxy. */
  through(url: string): string {
    return url.replace(/:\d+\//, `:${this.port}/`)
  }

  /** From now on nothing passes, in either direction, and nobody is told: a cable that was pulled. */
  hold(): void {
    this.isHeld = true
  }

  /** What was held goes on its way. */
  release(): void {
    this.isHeld = false
    for (const link of this.links) link.flush()
  }

  /** Cuts every link. */
  cut(): void {
    for (const link of this.links) link.cut()
  }

  async stop(): Promise<void> {
    this.cut()
    this.server.close()
    await once(this.server, 'close')
  }

  private link(client: Socket, server: Socket): void {
    const link = new Link(client, server, {
      isHeld: () => this.isHeld,
      keepsSessions: () => this.keepsSessions,
      fromClient: message => this.fromClient(message),
      fromServer: message => this.fromServer(message),
    })
    this.links.add(link)
    server.once('close', () => this.links.delete(link))
  }
}

interface Rules {
  readonly isHeld: () => boolean
  readonly keepsSessions: () => boolean
  readonly fromClient: (message: Message) => Verdict
  readonly fromServer: (message: Message) => Verdict
}

class Link {
  private readonly client: Socket
  private readonly server: Socket
  private readonly rules: Rules
  private readonly held: (() => void)[] = []

  constructor(client: Socket, server: Socket, rules: Rules) {
    this.client = client
    this.server = server
    this.rules = rules
    const requests = new Framing(true)
    const answers = new Framing(false)
    client.on('data', chunk => this.pass(requests.add(chunk), server, rules.fromClient))
    server.on('data', chunk => this.pass(answers.add(chunk), client, rules.fromServer))
    for (const socket of [client, server]) socket.setNoDelay(true)
    client.on('error', () => undefined).on('close', () => rules.keepsSessions() || this.cut())
    server.on('error', () => undefined).on('close', () => this.cut())
  }

  private pass(messages: readonly Message[], to: Socket, judge: (message: Message) => Verdict): void {
    for (const message of messages) {
      const go = () => {
        const verdict = judge(message)
        if (verdict === 'pass') to.write(message.bytes)
        if (verdict === 'cut') this.cut()
      }
      if (this.rules.isHeld()) this.held.push(go)
      else go()
    }
  }

  flush(): void {
    for (const go of this.held.splice(0)) go()
  }

  cut(): void {
    this.client.destroy()
    this.server.destroy()
  }
}

/** Cuts a stream into messages: a letter, a length that counts itself, a body. A client's first message has no letter. */
class Framing {
  private rest = Buffer.alloc(0)
  private isFirst: boolean

  constructor(startsWithoutType: boolean) {
    this.isFirst = startsWithoutType
  }

  add(chunk: Buffer): readonly Message[] {
    this.rest = Buffer.concat([this.rest, chunk])
    const messages: Message[] = []
    for (let message = this.next(); message; message = this.next()) messages.push(message)
    return messages
  }

  private next(): Message | undefined {
    const letters = this.isFirst ? 0 : 1
    if (this.rest.length < letters + 4) return undefined
    const length = letters + this.rest.readInt32BE(letters)
    if (this.rest.length < length) return undefined
    const bytes = this.rest.subarray(0, length)
    this.rest = this.rest.subarray(length)
    this.isFirst = false
    return { type: letters ? String.fromCharCode(bytes[0]!) : '', bytes }
  }
}
