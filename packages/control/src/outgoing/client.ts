import { lookup } from 'node:dns/promises'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { type Duration, seconds, type World } from '@stead/world'
import { addressRanges, mayReach } from './addresses.ts'
import { OutgoingError } from './errors.ts'

// Imported, it would bring along all of undici, which is 13 MB: Node looks at each of its exports.
const { request: httpRequest } = process.getBuiltinModule('node:http')

export interface OutgoingRequest {
  readonly url: string
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** The answer is cut off, with an error, at this many bytes. */
  readonly maxBytes: number
  /** For everything together: names, redirects, headers, body. Default 30 s. */
  readonly timeout?: Duration
  readonly signal?: AbortSignal
  /** Whether an answer that leads elsewhere is followed, or is the answer. Default: it is followed. */
  readonly redirects?: 'follow' | 'answer'
}

/** What was answered, without what it holds. */
interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Where the answer came from, after redirects. */
  readonly url: string
}

export interface OutgoingReply extends Answered {
  readonly body: Buffer
}

/** An answer that is taken as it comes. */
export interface OutgoingStream extends Answered {
  readonly content: AsyncIterable<Uint8Array>
}

export interface OutgoingOptions {
  readonly world: World
  /** Ranges an operator has opened, e.g. the network the webhooks' receivers are in. */
  readonly allow?: readonly string[]
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** How a connection is made; `https.request` and `http.request`, replaced in tests. */
  readonly open?: (options: RequestOptions, secure: boolean) => ClientRequest
}

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])

const resolveAll = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address)
const openConnection = (options: RequestOptions, secure: boolean) => (secure ? httpsRequest : httpRequest)(options)

/**
 * The one way out for every URL a user can give: images, webhooks, charts, OIDC issuers.
 * Each hop is resolved once, every address it has is checked, and the connection goes to a checked address,
 * so a name that answers differently the second time (DNS rebinding) gains nothing.
 */
export function outgoingClient(options: OutgoingOptions) {
  const take = outgoingStreams(options)
  return (sent: OutgoingRequest): Promise<OutgoingReply> =>
    take(sent, async ({ content, ...answered }) => ({ ...answered, body: await gathered(content) }))
}

export type OutgoingClient = ReturnType<typeof outgoingClient>

/** The same way out for what is too large to be held: `use` takes it as it comes, and all of it is over when that ends. */
export function outgoingStreams({ world, allow = [], resolve = resolveAll, open = openConnection }: OutgoingOptions) {
  const allowed = addressRanges(allow)

  async function pin(url: URL): Promise<string> {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) ? [host] : await resolve(host).catch(() => [])
    if (addresses.length === 0) throw new OutgoingError('unresolvable', `${url.hostname} has no address`)
    // One forbidden address among good ones is an attempt, not an accident: refuse them all.
    if (!addresses.every(address => mayReach(address, allowed)))
      throw new OutgoingError(
        'forbidden_address',
        `${url.hostname} leads to an address that may not be reached from here`,
      )
    return addresses[0]!
  }

  async function hop(url: URL, sent: OutgoingRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const address = await pin(url)
    signal.throwIfAborted()
    const secure = url.protocol === 'https:'
    const request = open(
      {
        agent: false,
        signal,
        method: sent.method ?? 'GET',
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || (secure ? 443 : 80),
        path: url.pathname + url.search,
        // No compression: a size limit on what is sent would say nothing about what it unpacks to.
        headers: { ...sent.headers, host: url.host, 'accept-encoding': 'identity' },
        lookup: (_host, options, answer) => {
          const family = isIP(address)
          if (options.all) answer(null, [{ address, family }])
          else answer(null, address, family)
        },
      },
      secure,
    )
    return new Promise((take, refuse) => {
      request.once('response', take)
      request.once('error', refuse)
      request.end(sent.body)
    })
  }

  async function follow(sent: OutgoingRequest, signal: AbortSignal): Promise<Followed> {
    let url = checkedUrl(sent.url)
    let request = sent
    for (let count = 0; count <= maxRedirects; count++) {
      const answer = await hop(url, request, signal)
      const status = answer.statusCode ?? 0
      const location = answer.headers.location
      if (!redirects.has(status) || location === undefined || sent.redirects === 'answer')
        return { status, headers: answer.headers, url: url.href, answer }
      answer.destroy()
      const next = checkedUrl(location, url)
      if (url.protocol === 'https:' && next.protocol === 'http:')
        throw new OutgoingError('insecure_redirect', `${url.host} redirects from https to http`)
      request = redirected(request, status, url.origin === next.origin)
      url = next
    }
    throw new OutgoingError('too_many_redirects', `${sent.url} redirects more than ${maxRedirects} times`)
  }

  return async <T>(sent: OutgoingRequest, use: (answer: OutgoingStream) => Promise<T>): Promise<T> => {
    const deadline = new AbortController()
    const timeout = sent.timeout ?? seconds(30)
    const timer = world.setTimer(timeout, () =>
      deadline.abort(new OutgoingError('timeout', `no complete answer within ${timeout} ms`)),
    )
    const signal = sent.signal ? AbortSignal.any([sent.signal, deadline.signal]) : deadline.signal
    let followed: Followed | undefined
    try {
      followed = await outgoing(follow(sent, signal), signal)
      const { answer, ...answered } = followed
      return await use({ ...answered, content: limited(answer, sent.maxBytes, signal) })
    } finally {
      timer.cancel()
      followed?.answer.destroy()
    }
  }
}

export type OutgoingStreams = ReturnType<typeof outgoingStreams>

type Followed = Answered & { readonly answer: IncomingMessage }

/** What goes wrong on the way, in our words. */
async function outgoing<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await step
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof OutgoingError) throw error
    throw new OutgoingError('unreachable', 'the connection failed', { cause: error })
  }
}

/** WHATWG parsing already turns `http://2130706433`, `0x7f.1` and the like into the dotted address they mean. */
export function checkedUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (!url) throw new OutgoingError('invalid_url', 'not a URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutgoingError('invalid_url', `${url.protocol} is not http or https`)
  if (url.username || url.password)
    throw new OutgoingError('invalid_url', 'a URL may not carry a user name or password')
  return url
}

/** What is sent on: credentials stay with the origin they were given for; a body is not repeated where it isn't asked for. */
function redirected(request: OutgoingRequest, status: number, sameOrigin: boolean): OutgoingRequest {
  const keepsBody = status === 307 || status === 308 || request.method !== 'POST'
  const { body, ...rest } = request
  const headers = sameOrigin ? request.headers : withoutCredentials(request.headers ?? {})
  return {
    ...rest,
    ...(headers && { headers }),
    ...(keepsBody ? body && { body } : { method: 'GET' as const }),
  }
}

const withoutCredentials = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !['authorization', 'cookie', 'proxy-authorization'].includes(name.toLowerCase()),
    ),
  )

/** What an answer holds, up to so many bytes. */
async function* limited(answer: IncomingMessage, maxBytes: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let size = 0
  for (;;) {
    const { value, done } = await outgoing(chunks.next(), signal)
    if (done) return
    size += value.length
    if (size > maxBytes) throw new OutgoingError('too_large', `the answer is larger than ${maxBytes} bytes`)
    yield value
  }
}

async function gathered(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
