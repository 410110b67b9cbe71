import { pipeline } from 'node:stream/promises'
import type { Logger } from '@stead/engine'
import type { World } from '@stead/world'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, fail, type Problem } from '../errors/index.ts'
import { type Admission, single } from './admission.ts'
import type { Answer, Answering } from './answering.ts'
import type { DoorEngine } from './engine.ts'
import { names } from './etag.ts'
import { eventStreamHeaders } from './event-stream.ts'
import { securityHeaders, strictTransport } from './headers.ts'
import { parseJsonBody } from './json-body.ts'
import type { DoorLimits } from './limits.ts'
import { jsonType, mustBe, uploadType } from './media-types.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { problemOf, writeProblem } from './problem-answer.ts'
import { ReceiveTimes } from './receive-times.ts'
import { type LinesReply, routeName, type StreamReply } from './route.ts'
import type { Streams } from './streams.ts'
import { type Trace, Traces, traceparent } from './trace.ts'
import { endAfterRest, hasBody, uploadOf } from './upload.ts'
import { actOf, Visit } from './visit.ts'
import type { Witness } from './witness.ts'
import type { WrittenReply } from './written-reply.ts'

export interface HttpOptions {
  readonly routes: readonly PreparedRoute[]
  readonly engine: DoorEngine
  readonly world: World
  readonly log: Logger
  readonly limits: DoorLimits
  readonly admission: Admission
  readonly answering: Answering
  readonly streams: Streams
  readonly witness: Witness
  readonly isTls: boolean
}

type Carrier = FastifyRequest & { visit: Visit | null }

interface Sending {
  /** Whether nothing more is heard on this connection. */
  readonly isLast?: boolean
  /** Ends the answer, once it is written; at once unless said. */
  readonly end?: (() => void) | undefined
}

/** Kept of what a client says it is. */
const longestUserAgent = 256
const denials: ReadonlySet<ErrorCode> = new Set(['unauthenticated', 'forbidden', 'quota_exceeded'])

const clientLeft = fail('unavailable', 'the client went away')

/** Puts the routes on a server: what is Fastify's own stays in this file. */
export class HttpDoor {
  readonly #options: HttpOptions
  readonly #steadyHeaders: readonly string[]
  readonly #receiveTimes: ReceiveTimes
  /** Where in them the value of each is. */
  readonly #places: ReadonlyMap<string, number>
  readonly #traces: Traces
  #isClosing = false

  constructor(options: HttpOptions) {
    this.#options = options
    this.#receiveTimes = new ReceiveTimes(options.world)
    this.#traces = new Traces(options.world)
    const steady = Object.entries({ ...securityHeaders, ...(options.isTls && strictTransport) })
    this.#steadyHeaders = steady.flat()
    this.#places = new Map(steady.map(([name], index) => [name, 2 * index + 1]))
  }

  mount(server: FastifyInstance): void {
    this.#receiveTimes.mind(server.server, this.#options.routes)
    void server.register(async scope => {
      scope.decorateRequest('visit', null)
      scope.removeAllContentTypeParsers()
      const json = [jsonType, 'application/merge-patch+json']
      scope.addContentTypeParser(json, { parseAs: 'string' }, (request, body, done) => {
        const visit = (request as Carrier).visit!
        try {
          if (visit.route.upload !== undefined) throw mustBe(uploadType)
          visit.bodyBytes = Buffer.byteLength(body)
          done(null, parseJsonBody(body as string))
        } catch (error) {
          done(error as Error)
        }
      })
      scope.addContentTypeParser(uploadType, (request, body, done) => {
        if ((request as Carrier).visit!.route.upload === undefined) return done(mustBe(jsonType))
        this.#receiveTimes.lift(request.raw)
        done(null, body)
      })
      for (const prepared of this.#options.routes) this.#addRoute(scope, prepared)
    })
    server.setNotFoundHandler((request, reply) => this.#notFound(request, reply))
    server.setErrorHandler((error, request, reply) => this.#refuseElsewhere(error, request, reply))
  }

  /**
   * From now on each answer is the last on its connection: one that is kept alive would keep the server from stopping.
   */
  close(): void {
    this.#isClosing = true
  }

  #addRoute(scope: FastifyInstance, prepared: PreparedRoute): void {
    const { route } = prepared
    scope.route({
      method: route.method,
      url: route.path,
      bodyLimit: this.#options.limits.bodyBytes,
      // The table of routes is the whole surface: nothing is answered that is not in it.
      exposeHeadRoute: false,
      onRequest: (request, reply, done) => this.#enter(prepared, request as Carrier, reply, done),
      handler: (request, reply) => this.#answer(prepared, request as Carrier, reply),
      errorHandler: (error, request, reply) => this.#refuse(error, request as Carrier, reply),
    })
  }

  #enter({ route }: PreparedRoute, request: Carrier, reply: FastifyReply, done: (error?: Error) => void): void {
    const { world, limits, admission } = this.#options
    const { headers, ip: address } = request
    const visit = new Visit({
      world,
      route,
      deadline: limits.deadline,
      trace: this.#traces.of(single(headers.traceparent)),
      address,
      userAgent: single(headers['user-agent'])?.slice(0, longestUserAgent),
    })
    request.visit = visit
    // It happens once; `once` would cost as much as all that is done then.
    reply.raw.on('close', () => this.#ended(visit, reply))
    try {
      const params = request.params as Record<string, string>
      const admitted = admission.admit(visit, { method: route.method, headers, address }, params)
      if (admitted instanceof Promise) admitted.then(() => done(), done)
      else done()
    } catch (error) {
      done(error as Error)
    }
  }

  #answer(prepared: PreparedRoute, request: Carrier, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
    const { headers } = request
    const visit = request.visit!
    const takesUpload = prepared.route.upload !== undefined
    const answer = this.#options.answering.answer(visit, prepared, {
      params: request.params as Record<string, string>,
      query: request.query as Record<string, string>,
      body: takesUpload ? undefined : request.body,
      upload: takesUpload ? uploadOf(request) : undefined,
      ifMatch: single(headers['if-match']),
      idempotencyKey: single(headers['idempotency-key']),
      lastEventId: single(headers['last-event-id']),
      cookie: headers.cookie,
      accept: headers.accept,
    })
    if (!(answer instanceof Promise)) return this.#give(answer, request, reply)
    return visit.withinDeadline(answer).then(late => this.#give(late, request, reply))
  }

  #give(answer: Answer, request: Carrier, reply: FastifyReply): FastifyReply {
    const visit = request.visit!
    if ('stream' in answer) return this.#stream(visit, answer, reply)
    if ('lines' in answer) return this.#sendLines(visit, answer, reply)
    return this.#send(reply, visit.trace, this.#unlessKnown(request, answer))
  }

  /** What the client has already need not be sent again. */
  #unlessKnown({ method, headers }: FastifyRequest, answer: WrittenReply): WrittenReply {
    const known = single(headers['if-none-match'])
    if (known === undefined) return answer
    const revision = /^"(\d+)"$/.exec(answer.headers.etag ?? '')?.[1]
    const isKnown = method === 'GET' && revision !== undefined && names(known, Number(revision))
    return isKnown ? { ...answer, status: 304, text: undefined } : answer
  }

  #stream(visit: Visit, answer: StreamReply, reply: FastifyReply): FastifyReply {
    const { streams, admission } = this.#options
    streams.admit(visit.caller)
    // It no longer counts as a request under way: streams have limits of their own.
    visit.leave()
    reply.hijack()
    reply.raw.writeHead(200, [...this.#headers(visit.trace), ...Object.entries(eventStreamHeaders).flat()])
    const stream = streams.open({
      response: reply.raw,
      caller: visit.caller,
      stillAllowed: () => admission.isStillAdmitted(visit) && (answer.stillAllowed?.() ?? true),
      onBug: error => this.#logBug(visit, error),
    })
    stream.write('retry: 2000\n\n')
    void (async () => answer.stream(stream))().catch(error => stream.fail(error))
    return reply
  }

  #sendLines(visit: Visit, { type, lines }: LinesReply, reply: FastifyReply): FastifyReply {
    reply.hijack()
    reply.raw.writeHead(200, [...this.#headers(visit.trace), 'content-type', `${type}; charset=utf-8`])
    // Too late to say what went wrong: the connection is broken off, so that nobody takes a part for the whole.
    pipeline(lines, reply.raw).catch((error: unknown) => {
      if (!isClientGone(error)) this.#logProblem(visit, problemOf(error))
    })
    return reply
  }

  /** Writes the answer itself: a third of what a read costs was Fastify's care for headers that we know already. */
  #send(
    reply: FastifyReply,
    trace: Trace,
    { status, headers, text }: WrittenReply,
    { isLast = false, end }: Sending = {},
  ): FastifyReply {
    const lines = this.#headers(trace)
    for (const name in headers) this.#setHeader(lines, name, headers[name]!)
    if (text !== undefined) {
      if (headers['content-type'] === undefined) lines.push('content-type', 'application/json; charset=utf-8')
      lines.push('content-length', String(Buffer.byteLength(text)))
    } else if (status !== 304) lines.push('content-length', '0')
    if (isLast || this.#isClosing) lines.push('connection', 'close')
    reply.hijack()
    reply.raw.writeHead(status, lines)
    if (end) {
      reply.raw.write(text)
      end()
    } else reply.raw.end(text)
    return reply
  }

  /** Names and values in turn, as Node takes them. */
  #headers(trace: Trace): string[] {
    const lines = this.#steadyHeaders.slice()
    const revision = String(this.#options.engine.cache.revision)
    lines.push('stead-revision', revision, 'traceparent', traceparent(trace), 'x-request-id', trace.spanId)
    return lines
  }

  /** A page says its own policy in place of the API's. */
  #setHeader(lines: string[], name: string, value: string): void {
    const place = this.#places.get(name)
    if (place === undefined) lines.push(name, value)
    else lines[place] = value
  }

  #refuse(error: unknown, request: Carrier, reply: FastifyReply): FastifyReply {
    const visit = request.visit!
    const problem = problemOf(error, visit.route.upload === undefined ? jsonType : uploadType)
    visit.code = problem.code
    this.#logProblem(visit, problem)
    // A body that nobody will read must not keep the connection.
    const isLast = hasBody(request) && (request.body === undefined || !request.raw.complete)
    const isHeard = visit.route.upload === undefined || !isLast
    const end = isHeard ? undefined : () => endAfterRest(request.raw, reply.raw, this.#options.world)
    return this.#send(reply, visit.trace, writeProblem(problem, visit.trace.traceId), { isLast, end })
  }

  #notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const trace = this.#traces.of(single(request.headers.traceparent))
    const path = request.url.split('?', 1)[0]!.slice(0, 200)
    const problem = fail('not_found', `there is no ${request.method} ${path}`, {
      suggestion: 'see /docs for what there is',
    })
    return this.#send(reply, trace, writeProblem(problem, trace.traceId), { isLast: hasBody(request) })
  }

  /** What goes wrong outside our routes: on a path that is none, or in a route of somebody else on this server. */
  #refuseElsewhere(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // A body that cannot be read does not matter where there is nobody to read it.
    if (request.is404) return this.#notFound(request, reply)
    const trace = this.#traces.of(single(request.headers.traceparent))
    const problem = problemOf(error)
    if (problem.code === 'internal') {
      const { method, routeOptions } = request
      const about = { route: `${method} ${routeOptions.url}`, traceId: trace.traceId, error }
      this.#options.log.error(about, 'a request failed: a bug')
    }
    return this.#send(reply, trace, writeProblem(problem, trace.traceId), { isLast: hasBody(request) })
  }

  #ended(visit: Visit, reply: FastifyReply): void {
    const { log, witness } = this.#options
    visit.leave()
    if (!reply.raw.writableFinished) visit.abort(clientLeft)
    const { statusCode: status } = reply.raw
    const { code, hasConcluded: hasChanged } = visit
    log.debug({ ...aboutOf(visit), status, code, ms: Math.round(visit.elapsed()) }, 'answered')
    try {
      const isDenied = visit.isTurnedAway || (code !== undefined && denials.has(code))
      witness.ended(actOf(visit), { status, code, isDenied, hasChanged })
    } catch (error) {
      // Thrown in an event of Node's, it would end the process.
      this.#logBug(visit, error)
    }
  }

  #logProblem(visit: Visit, problem: Problem): void {
    if (problem.code === 'internal') this.#logBug(visit, problem.cause)
    else if (problem.code === 'unavailable' && problem.cause)
      this.#options.log.warn({ ...aboutOf(visit), error: problem.cause }, 'a request could not be served')
  }

  #logBug(visit: Visit, error: unknown): void {
    this.#options.log.error({ ...aboutOf(visit), error }, 'a request failed: a bug')
  }
}

/** What the log says of a request: never its query, headers or body, which may hold secrets. */
const aboutOf = ({ route, trace, caller, address }: Visit) => ({
  route: routeName(route),
  traceId: trace.traceId,
  requestId: trace.spanId,
  principal: caller.principalId,
  address,
})

const isClientGone = (error: unknown) => (error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE'
