import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as SecureAgent } from 'node:https'
import { seconds, type World } from '@stead/world'

// Imported, it would bring along all of undici, which is 13 MB: Node looks at each of its exports.
const { Agent, request: httpRequest } = process.getBuiltinModule('node:http')

export interface Endpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type Outcome =
  | { readonly type: 'taken' }
  /** It will not be taken later either. */
  | { readonly type: 'refused' | 'away'; readonly problem: string }

export interface Post {
  send(body: string, signal: AbortSignal): Promise<Outcome>
  close(): void
}

const timeout = seconds(10)
/** What OTLP says may be sent again. */
const later = new Set([429, 502, 503, 504])

/** Posts to one address over a connection that is kept. */
export function postTo({ url, headers }: Endpoint, world: World): Post {
  const isSecure = url.startsWith('https:')
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 1 })

  async function once(body: string, signal: AbortSignal): Promise<Outcome> {
    const request: ClientRequest = (isSecure ? httpsRequest : httpRequest)(url, {
      ...{ method: 'POST', agent, signal },
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    })
    const answer = await new Promise<IncomingMessage>((take, refuse) => {
      request.once('response', take)
      request.once('error', refuse)
      request.end(body)
    })
    answer.resume()
    const { statusCode: status = 0 } = answer
    if (status >= 200 && status < 300) return { type: 'taken' }
    return { type: later.has(status) ? 'away' : 'refused', problem: `answered with ${status}` }
  }

  return {
    async send(body, signal) {
      const deadline = new AbortController()
      const timer = world.setTimer(timeout, () => deadline.abort(new Error(`no answer within ${timeout} ms`)))
      const either = AbortSignal.any([signal, deadline.signal])
      try {
        return await once(body, either)
      } catch (error) {
        const cause = either.aborted ? either.reason : error
        return { type: 'away', problem: (cause as Error).message }
      } finally {
        timer.cancel()
      }
    },
    close: () => agent.destroy(),
  }
}
