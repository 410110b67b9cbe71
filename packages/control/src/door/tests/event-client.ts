import { get, type IncomingMessage } from 'node:http'

export interface ReceivedEvent {
  readonly id: string | undefined
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  readonly data: any
}

/** Reads server-sent events as a browser does, but can stop in the middle of one, or stop reading at all. */
export class EventClient {
  readonly status: number
  readonly events: ReceivedEvent[] = []
  readonly ended: Promise<void>
  readonly #response: IncomingMessage
  #text = ''
  #budget: number
  #wake = Promise.withResolvers<void>()

  private constructor(response: IncomingMessage, budget: number) {
    this.#response = response
    this.#budget = budget
    this.status = response.statusCode!
    response.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    // The server may cut the connection: for a reader that is an end like any other.
    response.on('error', () => {})
    this.ended = new Promise(resolve => response.on('close', resolve))
    void this.ended.then(() => this.#wake.resolve())
  }

  /** `budget`: how many characters are read before the client vanishes. */
  static open(
    token: string,
    url: string,
    options: { headers?: Record<string, string>; budget?: number } = {},
  ): Promise<EventClient> {
    const headers = { authorization: `Bearer ${token}`, ...options.headers }
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, response => {
        resolve(new EventClient(response, options.budget ?? Number.POSITIVE_INFINITY))
      }).on('error', reject)
    })
  }

  /** Waits for an event, or for the end. */
  async until(is: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent | undefined> {
    for (let seen = 0; ; ) {
      for (; seen < this.events.length; seen++) if (is(this.events[seen]!)) return this.events[seen]
      if (this.#response.closed) return undefined
      await this.#wake.promise
    }
  }

  pause(): void {
    this.#response.pause()
  }

  resume(): void {
    this.#response.resume()
  }

  leave(): void {
    this.#response.destroy()
  }

  #read(text: string): void {
    // What was buffered still comes after it has left.
    if (this.#budget <= 0) return
    this.#text += text.slice(0, this.#budget)
    this.#budget -= text.length
    const blocks = this.#text.split('\n\n')
    this.#text = blocks.pop()!
    this.events.push(...blocks.flatMap(parse))
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
    if (this.#budget <= 0) this.leave()
  }
}

function parse(block: string): readonly ReceivedEvent[] {
  const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s).slice(0, 2)))
  return fields.data ? [{ id: fields.id, event: fields.event ?? 'message', data: JSON.parse(fields.data) }] : []
}
