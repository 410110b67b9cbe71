import { createMetrics, type Revision, type Sealer } from '@stead/engine'
import type { NodeProgram } from '@stead/engine/simulation'
import type { World } from '@stead/world'
import { Admission, type Credentials } from '../door/admission.ts'
import { Answering } from '../door/answering.ts'
import { Conclusion } from '../door/conclusion.ts'
import type { DoorEngine } from '../door/engine.ts'
import { replySealer } from '../door/idempotency.ts'
import { defaultLimits } from '../door/limits.ts'
import { type Preparation, PreparedRoute } from '../door/prepared-route.ts'
import { problemBody, problemOf } from '../door/problem-answer.ts'
import { type Route, routeName } from '../door/route.ts'
import { Traces } from '../door/trace.ts'
import { Visit } from '../door/visit.ts'
import { noWitness } from '../door/witness.ts'
import { fail } from '../errors/index.ts'
import type { Caller } from '../identity/caller.ts'
import { quotaConflict } from '../quotas/conflict.ts'

/** A request, as it would come over HTTP. */
export interface Asked {
  /** `POST /v1/projects/:project/instances` */
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly key?: string
  readonly as: Caller
  /** The trace that it belongs to; one of its own unless said. */
  readonly traceparent?: string
  /** The newest revision the asker knows. */
  readonly known: Revision
}

export interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: as it is read by whoever knows what was asked
  readonly body: any
  /** At which the node reads. */
  readonly revision: Revision
}

export interface DeskOptions {
  readonly engine: DoorEngine
  readonly world: World
  readonly sealer: Sealer
  readonly routes: readonly Route[]
}

/** Compiled once for all nodes of all runs: it takes longer than many a run. */
const shared = new Map<string, PreparedRoute>()

function prepared(route: Route): Preparation {
  const name = routeName(route)
  const schemas = shared.get(name) ?? new PreparedRoute(route, { checksReplies: true })
  shared.set(name, schemas)
  return {
    route,
    answersSecrets: schemas.answersSecrets,
    check: input => schemas.check(input),
    write: reply => schemas.write(reply),
  }
}

const address = '127.0.0.1'
const clientLeft = fail('unavailable', 'the client went away')

/** The front door of one node without its HTTP: the same admission, the same checks, keys, handlers and conclusion. */
export class Desk {
  readonly #options: DeskOptions
  readonly #admission: Admission
  readonly #answering: Answering
  readonly #routes: ReadonlyMap<string, Preparation>
  readonly #traces: Traces
  readonly #callers = new Map<string, Caller>()

  constructor(options: DeskOptions) {
    const { engine, world, sealer, routes } = options
    this.#options = options
    this.#traces = new Traces(world)
    this.#routes = new Map(routes.map(route => [routeName(route), prepared(route)]))
    const metrics = createMetrics()
    const authenticate = ({ headers: { authorization } }: Credentials) => this.#callers.get(authorization!)!
    this.#admission = new Admission({ engine, world, metrics, limits: defaultLimits, authenticate })
    const replies = replySealer(sealer)
    this.#answering = new Answering({
      ...{ engine, world, sealer: replies, conflicts: [quotaConflict] },
      conclusion: new Conclusion({ engine, world, sealer: replies, witness: noWitness }),
      follow: () => Promise.reject(new Error('nothing is followed here')),
      reached: revision => this.#admission.freshness.await(revision),
    })
  }

  /** Answers as the door would, also when it refuses. What is a bug is thrown. */
  async ask(asked: Asked, signal: AbortSignal): Promise<Told> {
    const { world, engine } = this.#options
    const preparation = this.#routes.get(asked.route)!
    const { route } = preparation
    const trace = this.#traces.of(asked.traceparent)
    const visit = new Visit({ world, route, trace, address, deadline: defaultLimits.deadline, userAgent: undefined })
    signal.addEventListener('abort', () => visit.abort(clientLeft))
    try {
      const answer = await visit.withinDeadline(this.#answer(visit, preparation, asked))
      return { ...answer, revision: engine.cache.revision }
    } catch (error) {
      const problem = problemOf(error)
      if (problem.code === 'internal') throw error
      return {
        status: problem.status,
        body: problemBody(problem, trace.traceId),
        revision: Math.max(engine.cache.revision, asked.known),
      }
    } finally {
      visit.leave()
    }
  }

  async #answer(visit: Visit, preparation: Preparation, asked: Asked): Promise<Omit<Told, 'revision'>> {
    const { params, query = {}, body, key, as, known } = asked
    this.#callers.set(as.principalId, as)
    const headers = { authorization: as.principalId, 'stead-revision': String(known) }
    await this.#admission.admit(visit, { method: visit.route.method, headers, address }, params)
    const nothing = { upload: undefined, ifMatch: undefined, lastEventId: undefined, cookie: undefined }
    const incoming = { params, query, body, idempotencyKey: key, accept: undefined, ...nothing }
    const answer = await this.#answering.answer(visit, preparation, incoming)
    if (!('status' in answer)) throw new Error(`${routeName(visit.route)} does not answer in one piece`)
    return { status: answer.status, body: answer.text === undefined ? undefined : JSON.parse(answer.text) }
  }
}

/** What a door asks of a node's engine. */
export const doorEngine = ({ engine, store, commit }: NodeProgram): DoorEngine => ({
  cache: engine.cache,
  store,
  commit,
})
