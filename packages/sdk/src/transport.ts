import type { Problem, Upload } from './generated/api.ts'
import { type Machine, thisMachine } from './machine.ts'
import { SteadProblem, Unreachable } from './problem.ts'

export interface TransportOptions {
  /** Where Stead listens: `https://stead.example.com`. */
  readonly url: string
  /** Not needed in a browser that is signed in. */
  readonly token?: string
  /** For how many milliseconds one request is sent again while it gets no answer. 10 s unless said. */
  readonly retryFor?: number
  /** Who asks, for the server's audit log. */
  readonly userAgent?: string
  /** In place of the platform's own. */
  readonly fetch?: typeof fetch
  readonly machine?: Machine
}

export interface Message {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Upload
  readonly signal?: AbortSignal
  readonly retryFor?: number
}

/** Sends requests, again where that is safe and may help, and makes of every refusal a typed exception. */
export class Transport {
  readonly url: string
  readonly machine: Machine
  readonly #options: TransportOptions
  readonly #fetch: typeof fetch
  #csrfToken: string | undefined
  #wasAnswered = false

  constructor(options: TransportOptions) {
    this.url = options.url.replace(/\/+$/, '')
    this.machine = options.machine ?? thisMachine
    this.#options = options
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  }

  /** Whether there is a Stead at all: what does not answer now then may later. */
  get wasAnswered(): boolean {
    return this.#wasAnswered
  }

  /** Needed with changes in a browser that is signed in; whoami answers it. */
  useCsrfToken(token: string | undefined): void {
    this.#csrfToken = token
  }

  async send(message: Message): Promise<Response> {
    const { machine } = this
    const since = machine.now()
    const patience = message.retryFor ?? this.#options.retryFor ?? 10_000
    for (let tries = 0; ; tries++) {
      const outcome = await this.#once(message)
      if (outcome instanceof Response) return outcome
      const wait = outcome.retryAfter ?? machine.random() * Math.min(5_000, 100 * 2 ** tries)
      if (!canRepeat(message) || !outcome.mayPass || machine.now() - since + wait > patience) throw outcome.error
      await machine.sleep(wait, message.signal)
    }
  }

  async #once(message: Message): Promise<Response | Failure> {
    const { token, userAgent } = this.#options
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
      ...(this.#csrfToken !== undefined && message.method !== 'GET' && { 'stead-csrf': this.#csrfToken }),
      ...message.headers,
    }
    try {
      const response = await this.#fetch(this.url + message.path, { ...init(message), headers })
      this.#wasAnswered = true
      return response.ok ? response : await refusal(this.url, response)
    } catch (error) {
      if (message.signal?.aborted) throw message.signal.reason
      // Where nobody was ever met, nobody listens: an address that is wrong should be told at once.
      const mayPass = this.#wasAnswered || !isRefused(error)
      return { error: new Unreachable(this.url, whyUnreachable(error), { cause: error }), mayPass }
    }
  }
}

interface Failure {
  readonly error: Error
  /** Whether it may be otherwise the next time. */
  readonly mayPass: boolean
  readonly retryAfter?: number
}

/** A body that is read as it goes out cannot be sent twice; a change of a version that one saw was made once if at all. */
const canRepeat = ({ body, headers }: Message): boolean =>
  !(body instanceof ReadableStream) && headers?.['if-match'] === undefined

const init = ({ method, body, signal }: Message): RequestInit => ({
  method,
  ...(body !== undefined && { body }),
  ...(signal && { signal }),
  // Only known to the types of newer platforms; without it a stream cannot be sent.
  ...(body instanceof ReadableStream && { duplex: 'half' }),
})

async function refusal(url: string, response: Response): Promise<Failure> {
  const mayPass = [429, 502, 503, 504].includes(response.status)
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfter = Number.isNaN(after) ? {} : { retryAfter: after * 1_000 }
  const text = await response.text()
  if (response.headers.get('content-type')?.startsWith('application/problem+json'))
    return { error: new SteadProblem(JSON.parse(text) as Problem), mayPass, ...retryAfter }
  return {
    error: new Unreachable(url, `something else answers there, with ${response.status}`),
    mayPass,
    ...retryAfter,
  }
}

/** The code that Node gives; browsers tell no reason. */
const codeOf = (error: unknown): string | undefined => {
  const { cause } = error as { cause?: { code?: string; errors?: readonly { code?: string }[] } }
  return cause?.code ?? cause?.errors?.[0]?.code
}

const isRefused = (error: unknown): boolean => ['ECONNREFUSED', 'ENOTFOUND'].includes(codeOf(error) ?? '')

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
}

function whyUnreachable(error: unknown): string {
  const code = codeOf(error)
  const { cause, message } = error as Error
  return (code && reasons[code]) ?? (cause instanceof Error && cause.message ? cause.message : message)
}
