import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A span as it was received. */
export interface Received {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code: number }
  readonly attributes: Readonly<Record<string, string>>
  /** `service.instance.id` of the sender. */
  readonly sender: string
}

interface Wire extends Omit<Received, 'attributes' | 'sender'> {
  readonly attributes: Pairs
}
type Pairs = readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[]

const read = (pairs: Pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, String(Object.values(value)[0])]))

/** Takes traces as OTLP in JSON, and keeps them. Gone with the test. */
export class Collector {
  readonly spans: Received[] = []
  /** Everything that came, headers and all, as it was written. */
  text = ''
  readonly #server: Server

  static async start(port = 0): Promise<Collector> {
    const collector = new Collector()
    await new Promise<void>(ready => collector.#server.listen(port, '127.0.0.1', ready))
    onTestFinished(() => {
      collector.#server.closeAllConnections()
      collector.#server.close()
    })
    return collector
  }

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let body = ''
      for await (const piece of request) body += piece
      const isTraces = request.method === 'POST' && request.url === '/v1/traces'
      if (isTraces) this.#take(body, JSON.stringify(request.headers))
      response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`
  }

  #take(body: string, headers: string): void {
    this.text += headers + body
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { resource: { attributes: Pairs }; scopeSpans: { spans: Wire[] }[] }[]
    }
    for (const { resource, scopeSpans } of resourceSpans) {
      const sender = read(resource.attributes)['service.instance.id']!
      for (const { attributes, ...span } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, attributes: read(attributes), sender })
    }
  }
}
