import { Agent, type IncomingMessage, request } from 'node:http'

export interface SentRequest {
  readonly method: string
  /** With its query, as it goes over the wire. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** How long a stream is listened to once it has begun. */
const listeningMillis = 5
/** What is not answered by then is not answered. */
const patienceMillis = 20_000

/** Sends requests as they are: nothing in them is made right on the way, as `fetch` would. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })
  readonly #url: URL

  constructor(url: string) {
    this.#url = new URL(url)
  }

  send({ method, path, headers, body }: SentRequest): Promise<Received> {
    const { hostname, port } = this.#url
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    return new Promise((resolve, reject) => {
      const options = { hostname, port, method, path, headers: { ...headers, ...length }, agent: this.#agent }
      const sent = request(options, response => read(response).then(resolve, reject))
      sent.on('error', reject)
      sent.setTimeout(patienceMillis, () => sent.destroy(new Error('there was no answer')))
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function read(response: IncomingMessage): Promise<Received> {
  const { statusCode: status = 0, headers } = response
  // Whatever form it has: proxies are told to hold nothing of it back.
  const isStream = headers['x-accel-buffering'] === 'no'
  if (isStream) setTimeout(() => response.destroy(), listeningMillis)
  const pieces: Buffer[] = []
  try {
    for await (const piece of response) pieces.push(piece)
  } catch (error) {
    // A stream is left in the middle, by us.
    if (!isStream) throw error
  }
  return { status, headers, text: Buffer.concat(pieces).toString() }
}
