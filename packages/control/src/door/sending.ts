import type { FastifyReply } from 'fastify'
import type { DoorEngine } from './engine.ts'
import { securityHeaders, strictTransport } from './headers.ts'
import { type Trace, traceparent } from './trace.ts'
import type { Wire, WrittenReply } from './written-reply.ts'

export interface SendingOptions {
  readonly engine: DoorEngine
  readonly isTls: boolean
}

/** How an answer ends. */
export interface Ending {
  /** Whether nothing more is heard on this connection. */
  readonly isLast?: boolean
  /** Ends the answer, once it is written; at once unless said. */
  readonly end?: (() => void) | undefined
}

const atOnce: Ending = {}

/** Writes answers itself: a third of what a read costs was Fastify's care for headers that we know already. */
export class Sending {
  readonly #engine: DoorEngine
  readonly #steadyLines: readonly string[]
  /** Where in them the value of each is. */
  readonly #places: ReadonlyMap<string, number>
  #isClosing = false

  constructor({ engine, isTls }: SendingOptions) {
    this.#engine = engine
    const steady = Object.entries({ ...securityHeaders, ...(isTls && strictTransport) })
    this.#steadyLines = steady.flat()
    this.#places = new Map(steady.map(([name], index) => [name, 2 * index + 1]))
  }

  /**
   * From now on each answer is the last on its connection: one that is kept alive would keep the server from stopping.
   */
  close(): void {
    this.#isClosing = true
  }

  send(reply: FastifyReply, trace: Trace, answer: WrittenReply, { isLast = false, end }: Ending = atOnce): void {
    answer.wire ??= this.#wireOf(answer)
    const { lines, encoding } = answer.wire
    const head = this.#with(lines, trace)
    if (isLast || this.#isClosing) head.push('connection', 'close')
    const { raw } = reply
    raw.writeHead(answer.status, head)
    // Only now, so that a header which Node refuses is still answered as the bug it is.
    reply.hijack()
    if (end) {
      raw.write(answer.text, encoding)
      end()
    } else if (answer.text === undefined) raw.end()
    else raw.end(answer.text, encoding)
  }

  /** What goes before an answer that is made while it is sent: names and values in turn, as Node takes them. */
  head(trace: Trace): string[] {
    return this.#with(this.#steadyLines, trace)
  }

  #with(lines: readonly string[], trace: Trace): string[] {
    const head = lines.slice()
    const revision = String(this.#engine.cache.revision)
    head.push('stead-revision', revision, 'traceparent', traceparent(trace), 'x-request-id', trace.spanId)
    return head
  }

  #wireOf({ status, headers, text }: WrittenReply): Wire {
    const lines = this.#steadyLines.slice()
    for (const [name, value] of Object.entries(headers)) this.#set(lines, name, value)
    const bytes = Buffer.byteLength(text ?? '')
    if (text !== undefined && headers['content-type'] === undefined)
      lines.push('content-type', 'application/json; charset=utf-8')
    if (status !== 304) lines.push('content-length', String(bytes))
    // Text of as many bytes as characters is ASCII, which Node copies as it is; in other text it looks for what to encode.
    return { lines, encoding: bytes === text?.length ? 'latin1' : 'utf8' }
  }

  /** A page says its own policy in place of the API's. */
  #set(lines: string[], name: string, value: string): void {
    const place = this.#places.get(name)
    if (place === undefined) lines.push(name, value)
    else lines[place] = value
  }
}
