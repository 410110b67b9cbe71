import { pipeline } from 'node:stream/promises'
import { isEnabled, type Logger, type Tracing } from '@stead/engine'
import { millis, type World } from '@stead/world'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, fail, type Problem } from '../errors/index.ts'
import { type Admission, single } from './admission.ts'
import type { AnswerMetrics, RouteMeter } from './answer-metrics.ts'
import type { Answer, Answering, Incoming } from './answering.ts'
import type { DoorEngine } from './engine.ts'
import { names } from './etag.ts'
import { EventStream, serverSentEvents } from './event-stream.ts'
import { parseJsonBody } from './json-body.ts'
import type { DoorLimits } from './limits.ts'
import { jsonType, mustBe, uploadType } from './media-types.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { problemOf, writeProblem } from './problem-answer.ts'
import { ReceiveTimes } from './receive-times.ts'
import { RequestSpans } from './request-spans.ts'
import { type LinesReply, type Route, routeName, type SocketReply, type StreamReply } from './route.ts'
import { Sending } from './sending.ts'
import { type Opening, Sockets } from './sockets.ts'
import type { StreamRequest, Streams } from './streams.ts'
import { Traces } from './trace.ts'
import { endAfterRest, hasBody, uploadOf } from './upload.ts'
import { Visit } from './visit.ts'
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
  readonly answers: AnswerMetrics
  readonly witness: Witness
  readonly tracing: Tracing | undefined
  readonly isTls: boolean
  /** Where browsers find us, when that is not what they say in Host. */
  readonly publicUrl?: string | undefined
}

type Carrier = FastifyRequest & { visit: Visit | null }

/** Kept of what a client says it is. */
const longestUserAgent = 256
const denials: ReadonlySet<ErrorCode> = new Set(['unauthenticated', 'forbidden', 'quota_exceeded'])

const clientLeft = fail('unavailable', 'the client went away')

/** Puts the routes on a server: what is Fastify's own stays in this file. */
export class HttpDoor {
  readonly #options: HttpOptions
  readonly #sending: Sending
  readonly #receiveTimes: ReceiveTimes
  readonly #traces: Traces
  readonly #sockets: Sockets
  readonly #spans: RequestSpans | undefined
  readonly #meters = new Map<Route, RouteMeter>()
  /** What no route answers is one series, whatever method it made up. */
  readonly #elsewhere: RouteMeter

  constructor(options: HttpOptions) {
    this.#options = options
    this.#receiveTimes = new ReceiveTimes(options.world)
    const { tracing } = options
    this.#traces = new Traces(options.world, tracing && (traceId => tracing.samples(traceId)))
    this.#spans = tracing && new RequestSpans(tracing)
    const { streams, world, witness, publicUrl, limits } = options
    this.#sockets = new Sockets({ streams, world, witness, publicUrl, heartbeat: limits.streams.heartbeat })
    this.#elsewhere = options.answers.of('', '')
    this.#sending = new Sending(options)
  }

  mount(server: FastifyInstance): void {
    this.#receiveTimes.mind(server.server, this.#options.routes)
    this.#sockets.mount(server)
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

  /** From now on each answer is the last on its connection. */
  close(): void {
    this.#sending.close()
  }

  #addRoute(scope: FastifyInstance, prepared: PreparedRoute): void {
    const { route } = prepared
    this.#meters.set(route, this.#options.answers.of(route.method, route.path))
    const enter = (request: Carrier, reply: FastifyReply) => this.#enter(route, request, reply)
    const answer = (request: Carrier, reply: FastifyReply) =>
      route.socket === undefined
        ? this.#answer(prepared, request, reply)
        : this.#sockets.prepare(request).then(() => this.#answer(prepared, request, reply))
    const hasNoBody = route.method === 'GET'
    scope.route({
      method: route.method,
      url: route.path,
      bodyLimit: this.#options.limits.bodyBytes,
      // The table of routes is the whole surface: nothing is answered that is not in it.
      exposeHeadRoute: false,
      // Where there is a body, nothing of it is read before its sender is let in. To need no hook is faster.
      ...(!hasNoBody && {
        onRequest: (request, reply, done) => inTurn(() => enter(request as Carrier, reply), done),
      }),
      handler: hasNoBody
        ? (request, reply) => andThen(enter(request as Carrier, reply), () => answer(request as Carrier, reply))
        : (request, reply) => answer(request as Carrier, reply),
      errorHandler: (error, request, reply) => this.#refuse(error, request as Carrier, reply),
    })
  }

  /** Lets it in, at once where nothing has to be waited for, or throws why not. */
  #enter(route: Route, request: Carrier, reply: FastifyReply): void | Promise<void> {
    const { world, limits, admission } = this.#options
    const { headers, ip: address, socket: connection } = request
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
    const params = request.params as Record<string, string>
    return admission.admit(visit, { method: route.method, headers, address, connection }, params)
  }

  /** Answers nothing where it has answered already: Fastify would look after whatever is returned to it. */
  #answer(prepared: PreparedRoute, request: Carrier, reply: FastifyReply): undefined | Promise<FastifyReply> {
    const { headers } = request
    const visit = request.visit!
    const takesUpload = prepared.route.upload !== undefined
    const incoming: Incoming = {
      params: request.params as Record<string, string>,
      query: request.query as Record<string, string>,
      body: takesUpload ? undefined : request.body,
      upload: takesUpload ? uploadOf(request) : undefined,
      ifMatch: single(headers['if-match']),
      idempotencyKey: single(headers['idempotency-key']),
      lastEventId: single(headers['last-event-id']),
      cookie: headers.cookie,
      accept: headers.accept,
    }
    const { answering } = this.#options
    const spans = this.#spans
    const answer = spans
      ? spans.within(visit, () => answering.answer(visit, prepared, incoming))
      : answering.answer(visit, prepared, incoming)
    if (answer instanceof Promise) return visit.withinDeadline(answer).then(late => this.#give(late, request, reply))
    const given = this.#give(answer, request, reply)
    return given instanceof Promise ? given : undefined
  }

  #give(answer: Answer, request: Carrier, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
    const visit = request.visit!
    if ('socket' in answer) return this.#openSocket(answer, { visit, request, reply })
    if ('stream' in answer) return this.#stream(visit, answer, reply)
    if ('lines' in answer) return this.#sendLines(visit, answer, reply)
    this.#sending.send(reply, visit.trace, this.#unlessKnown(request, answer))
    return reply
  }

  /** What the client has already need not be sent again. */
  #unlessKnown({ method, headers }: FastifyRequest, answer: WrittenReply): WrittenReply {
    const known = single(headers['if-none-match'])
    if (known === undefined) return answer
    const revision = /^"(\d+)"$/.exec(answer.headers.etag ?? '')?.[1]
    const isKnown = method === 'GET' && revision !== undefined && names(known, Number(revision))
    return isKnown ? { ...answer, status: 304, text: undefined, wire: undefined } : answer
  }

  #stream(visit: Visit, answer: StreamReply, reply: FastifyReply): FastifyReply {
    const { streams, world, limits } = this.#options
    const { format = serverSentEvents } = answer
    streams.admit(visit.caller)
    // It no longer counts as a request under way: streams have limits of their own.
    visit.leave()
    reply.hijack()
    reply.raw.writeHead(200, [...this.#sending.head(visit.trace), ...Object.entries(format.headers).flat()])
    // Some may be read as slowly as one likes: whether anybody is still there is for TCP to find out.
    reply.raw.socket?.setKeepAlive(true, limits.streams.heartbeat)
    const parts = { response: reply.raw, format, world, limits: limits.streams }
    const onBug = (error: unknown) => this.#logBug(visit, error)
    const stream = streams.open(this.#staying(visit, answer), hooks => new EventStream({ ...parts, ...hooks, onBug }))
    if (format.opening !== '') stream.write(format.opening)
    void (async () => answer.stream(stream))().catch(error => stream.fail(error))
    return reply
  }

  #openSocket(answer: SocketReply, opening: Pick<Opening, 'visit' | 'request' | 'reply'>): Promise<FastifyReply> {
    const { visit, reply } = opening
    const onBug = (error: unknown) => this.#logBug(visit, error)
    return this.#sockets.open({ ...opening, onBug, onEnded: () => this.#ended(visit, reply) }, answer)
  }

  #staying(visit: Visit, { stillAllowed }: Pick<StreamReply, 'stillAllowed'>): StreamRequest {
    const { admission } = this.#options
    return {
      caller: visit.caller,
      stillAllowed: () => admission.isStillAdmitted(visit) && (stillAllowed?.() ?? true),
    }
  }

  #sendLines(visit: Visit, { type, lines }: LinesReply, reply: FastifyReply): FastifyReply {
    reply.hijack()
    reply.raw.writeHead(200, [...this.#sending.head(visit.trace), 'content-type', `${type}; charset=utf-8`])
    // Too late to say what went wrong: the connection is broken off, so that nobody takes a part for the whole.
    pipeline(lines, reply.raw).catch((error: unknown) => {
      if (!isClientGone(error)) this.#logProblem(visit, problemOf(error))
    })
    return reply
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
    this.#sending.send(reply, visit.trace, writeProblem(problem, visit.trace.traceId), { isLast, end })
    return reply
  }

  #notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { world } = this.#options
    const trace = this.#traces.of(single(request.headers.traceparent))
    const began = world.monotonic()
    reply.raw.on('close', () => this.#elsewhere.answered(reply.raw.statusCode, millis(world.monotonic() - began)))
    const path = request.url.split('?', 1)[0]!.slice(0, 200)
    const problem = fail('not_found', `there is no ${request.method} ${path}`, {
      suggestion: 'see /docs for what there is',
    })
    this.#sending.send(reply, trace, writeProblem(problem, trace.traceId), { isLast: hasBody(request) })
    return reply
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
    this.#sending.send(reply, trace, writeProblem(problem, trace.traceId), { isLast: hasBody(request) })
    return reply
  }

  #ended(visit: Visit, reply: FastifyReply): void {
    const { log, witness } = this.#options
    visit.leave()
    // Also when it was answered to the end: whatever was begun for it has nobody to go on for.
    visit.abort(clientLeft)
    const { statusCode: status, writableFinished: isAnswered } = reply.raw
    const { code, hasConcluded: hasChanged } = visit
    const took = visit.elapsed()
    this.#spans?.ended(visit, status)
    if (isAnswered) this.#meters.get(visit.route)!.answered(status, took)
    if (isEnabled(log, 'debug')) log.debug({ ...aboutOf(visit), status, code, ms: Math.round(took) }, 'answered')
    try {
      const isDenied = visit.isTurnedAway || (code !== undefined && denials.has(code))
      witness.ended(visit, { status, code, isDenied, hasChanged })
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

/** What is done when Fastify asks for it with a callback. */
function inTurn(work: () => void | Promise<void>, done: (error?: Error) => void): void {
  try {
    const waiting = work()
    if (waiting) waiting.then(() => done(), done)
    else done()
  } catch (error) {
    done(error as Error)
  }
}

/** Goes on at once where there is nothing to wait for. */
const andThen = <T>(waiting: void | Promise<void>, next: () => T): T | Promise<Awaited<T>> =>
  waiting ? (waiting.then(next) as Promise<Awaited<T>>) : next()

const isClientGone = (error: unknown) => (error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE'
