import type { ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ProviderError } from '@stead/provider-kit'
import { refusal, unreachable } from './errors.ts'

// Not imported: an import of all its names would bring Node's fetch along, which is large.
const { Agent, request: plainRequest } = process.getBuiltinModule('node:http')
const { Agent: SecureAgent, request: secureRequest } = process.getBuiltinModule('node:https')

export type EngineAddress =
  | { readonly socket: string }
  | { readonly host: string; readonly port: number; readonly tls?: Tls | undefined }

export interface Tls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

export interface Ask {
  /** A list is said as often as it is long. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'

/**
 * The Engine API over a socket or over TCP with TLS: little more than HTTP. Our own, because it is smaller than any client
 * there is, and streams, half-closed connections and cancelling are where those differ from what we need.
 */
export class EngineClient {
  readonly #address: EngineAddress
  readonly #agent: HttpAgent
  readonly #isSecure: boolean

  constructor(address: EngineAddress) {
    this.#address = address
    this.#isSecure = 'host' in address && address.tls !== undefined
    const pool = { keepAlive: true, maxSockets: 32, maxFreeSockets: 16 }
    this.#agent = this.#isSecure ? new SecureAgent(pool) : new Agent(pool)
  }

  /** Asks, and reads the answer as JSON; undefined when it is empty. */
  async json<T>(method: Method, path: string, ask: Ask = {}): Promise<T> {
    const answer = await this.#send(method, path, ask, encode(ask.body))
    const text = await readAll(answer, `${method} ${path}`, ask.signal)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Asks, and answers what is told bit by bit. */
  async stream(method: Method, path: string, ask: Ask = {}): Promise<IncomingMessage> {
    return this.#send(method, path, ask, encode(ask.body), { agent: false })
  }

  /** Sends an archive. */
  async upload(
    method: Method,
    path: string,
    archive: AsyncIterable<Uint8Array> | Uint8Array,
    ask: Ask = {},
  ): Promise<string> {
    const headers = { 'content-type': 'application/x-tar', ...ask.headers }
    const answer = await this.#send(method, path, { ...ask, headers }, archive, { agent: false })
    return readAll(answer, `${method} ${path}`, ask.signal)
  }

  /** Turns a request into a connection in both directions. */
  hijack(path: string, ask: Ask = {}): Promise<Duplex> {
    const headers = { connection: 'Upgrade', upgrade: 'tcp', ...ask.headers }
    const what = `POST ${path}`
    return new Promise((resolve, reject) => {
      const asked = this.#request('POST', path, { ...ask, headers }, { agent: false })
      asked.once('upgrade', (_, socket: Duplex, head: Buffer) => {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      })
      asked.once('response', answer => {
        void readAll(answer, what, ask.signal).then(
          said => reject(refusal(what, answer.statusCode ?? 500, messageIn(said))),
          reject,
        )
      })
      asked.once('error', error => reject(reasonOf(what, error, ask.signal)))
      asked.end(encode(ask.body))
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  async #send(
    method: Method,
    path: string,
    ask: Ask,
    body: Buffer | AsyncIterable<Uint8Array> | Uint8Array | undefined,
    options: RequestOptions = {},
  ): Promise<IncomingMessage> {
    const what = `${method} ${path}`
    ask.signal?.throwIfAborted()
    const asked = this.#request(method, path, ask, options)
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve)
      asked.on('error', error => reject(reasonOf(what, error, ask.signal)))
      if (body === undefined || body instanceof Uint8Array) asked.end(body)
      // Why it could not be sent to its end is ours to say: the other side only sees that it broke off.
      else
        pipeline(body, asked).catch(error => {
          reject(reasonOf(what, error, ask.signal))
          asked.destroy()
        })
    })
    const answer = await answered
    const status = answer.statusCode ?? 500
    if (status < 400) return answer
    throw refusal(what, status, messageIn(await readAll(answer, what, ask.signal)))
  }

  #request(method: Method, path: string, { query = {}, headers = {}, body, signal }: Ask, options: RequestOptions) {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((each): [string, string] => [name, String(each)]),
    )
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : ''
    const where =
      'socket' in this.#address
        ? { socketPath: this.#address.socket }
        : { host: this.#address.host, port: this.#address.port, ...this.#address.tls }
    const asked: RequestOptions = {
      agent: this.#agent,
      ...where,
      ...options,
      method,
      path: path + search,
      headers: { host: 'engine', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(signal && { signal }),
    }
    const send: (options: RequestOptions) => ClientRequest = this.#isSecure ? secureRequest : plainRequest
    return send(asked)
  }
}

const encode = (body: unknown): Buffer | undefined =>
  body === undefined ? undefined : Buffer.from(JSON.stringify(body))

async function readAll(answer: IncomingMessage, what: string, signal: AbortSignal | undefined): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of answer) chunks.push(chunk as Buffer)
  } catch (error) {
    throw reasonOf(what, error as Error, signal)
  }
  return Buffer.concat(chunks).toString()
}

/** A call that was cancelled ends with the reason for that. */
export function reasonOf(what: string, error: Error, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  return error instanceof ProviderError ? error : unreachable(what, error)
}

function messageIn(said: string): string {
  try {
    const { message } = JSON.parse(said) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // Some answers are plain text.
  }
  return said.trim() || 'no reason was given'
}
