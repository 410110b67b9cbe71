import { ConflictError, type StoredObject, type View } from '@stead/engine'
import { Problem } from '../errors/index.ts'
import type { Place } from '../identity/caller.ts'
import { ConcludedReply } from './conclusion.ts'
import { type ConflictRule, explainConflict, isRace } from './conflicts.ts'
import type { DoorEngine } from './engine.ts'
import { refuseStale } from './etag.ts'
import { lookUp, theOne } from './find.ts'
import { type KeyedRequest, keyedRequest, type ReplySealer, recall } from './idempotency.ts'
import { OfferedServices, type ServiceSources } from './offered-services.ts'
import type { CheckedInput, Preparation, RawInput } from './prepared-route.ts'
import type { AnyReply, Reply, Request, Upload } from './route.ts'
import { routeName } from './route.ts'
import type { Visit } from './visit.ts'
import type { WrittenReply } from './written-reply.ts'

export interface AnsweringOptions extends ServiceSources {
  readonly sealer: ReplySealer | undefined
  /** What conflicts mean on every route. */
  readonly conflicts: readonly ConflictRule[]
}

/** A request as it came, for a caller who may make it. */
export interface Incoming extends RawInput {
  readonly upload: Upload | undefined
  readonly ifMatch: string | undefined
  readonly idempotencyKey: string | undefined
  readonly lastEventId: string | undefined
  readonly cookie: string | undefined
  readonly accept: string | undefined
}

/** Others may be faster this often. Each time they made a change of their own, so somebody always gets on. */
const mostAttempts = 8

/**
 * Runs handlers: again when others were faster, and not at all in effect when their request has had its effect before.
 */
export class Answering {
  readonly #options: AnsweringOptions

  constructor(options: AnsweringOptions) {
    this.#options = options
  }

  /**
   * At once where the handler answers at once, as reads do: a promise costs as much as all the rest of such an answer.
   */
  answer(visit: Visit, prepared: Preparation, incoming: Incoming): Answer | Promise<Answer> {
    const input = prepared.check(incoming)
    const keyed = this.#keyed(visit, input, incoming)
    const first = () =>
      this.#run(visit, prepared, { input, incoming, keyed: keyed && { request: keyed, takeFrom: undefined } })
    if (keyed) return this.#insist(visit, prepared, { input, incoming, keyed }, inTime(first))
    const answer = first()
    return answer instanceof Promise ? this.#insist(visit, prepared, { input, incoming, keyed }, answer) : answer
  }

  async #insist(visit: Visit, prepared: Preparation, work: Work, first: Promise<Answer>): Promise<Answer> {
    const { input, incoming, keyed } = work
    const { store } = this.#options.engine
    let running = first
    for (let attempt = 1; ; attempt++) {
      const result = await settled(running)
      if ('answer' in result && (!keyed || visit.hasConcluded || !('status' in result.answer))) return result.answer
      const isLast = attempt >= mostAttempts
      let takeFrom: string | undefined
      let isFree = false
      if (keyed && mayHaveHappened(result)) {
        const recollection = await recall(store, keyed, this.#options.sealer)
        if (recollection.type === 'answered') return this.#repeat(visit, recollection)
        isFree = 'error' in result && isAbout(result.error, keyed)
        takeFrom = recollection.type === 'forgotten' ? recollection.holder : undefined
      }
      if ('answer' in result) return result.answer
      const isRaced = isRace(result.error) && prepared.route.commits !== 'many'
      if (isLast || !(isFree || isRaced)) throw this.#explained(visit, input, result.error)
      if (isRaced) await this.#catchUp(visit, result.error)
      const again = { input, incoming, keyed: keyed && { request: keyed, takeFrom } }
      running = inTime(() => this.#run(visit, prepared, again))
    }
  }

  #run(visit: Visit, prepared: Preparation, { input, incoming, keyed }: Run): Answer | Promise<Answer> {
    const services = new OfferedServices(this.#options, { visit, prepared, keyed })
    const reply = prepared.route.handle(this.#request(visit, input, incoming) as never, services)
    return reply instanceof Promise ? reply.then(late => written(prepared, late)) : written(prepared, reply)
  }

  #request(visit: Visit, input: CheckedInput, incoming: Incoming): Request {
    const objects = viewOf(this.#options.engine, visit.place)
    return new HandledRequest(visit, input, {
      objects,
      upload: incoming.upload,
      target: this.#target(visit, objects, incoming),
      cookie: incoming.cookie,
      accept: incoming.accept,
      lastEventId: incoming.lastEventId,
    })
  }

  #target(visit: Visit, objects: View, { params, ifMatch }: Incoming): StoredObject | undefined {
    const { target } = visit.route
    if (!target) return undefined
    const text = params[target.param ?? target.kind]!
    const found = theOne(
      target.kind,
      text,
      target.find?.(objects, text, visit.place) ?? lookUp(objects, target.kind, text),
    )
    visit.targetId = found.id
    if (visit.route.method !== 'GET') refuseStale(ifMatch, found)
    return found
  }

  #keyed(visit: Visit, input: CheckedInput, { idempotencyKey, params }: Incoming): KeyedRequest | undefined {
    const { route, caller, place } = visit
    // A key is a principal's own, and nobody is everybody: one stranger must not get what another was answered.
    if (route.method !== 'POST' || idempotencyKey === undefined || caller.type === 'nobody') return undefined
    // The place as it is, not as it was spelled: an id and a name of the same project are the same request.
    const { organization: _organization, project: _project, ...others } = params
    return keyedRequest(caller.principalId, idempotencyKey, [routeName(route), place, others, input.query, input.body])
  }

  async #repeat(visit: Visit, { reply, revision }: { reply: WrittenReply; revision: number }): Promise<WrittenReply> {
    await this.#options.engine.cache.reached(revision, visit.signal)
    return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } }
  }

  #explained({ route, caller, place }: Visit, input: CheckedInput, error: unknown): unknown {
    if (!(error instanceof ConflictError)) return error
    const rules = [...(route.conflicts ?? []), ...this.#options.conflicts]
    return explainConflict(error, rules, { ...input, caller, place }) ?? error
  }

  /** Waits until this node sees what the others did. */
  async #catchUp(visit: Visit, { conflict }: ConflictError): Promise<void> {
    const { cache, store } = this.#options.engine
    const actual = 'actual' in conflict ? (conflict.actual ?? 0) : 0
    await cache.reached(Math.max(actual, store.head()), visit.signal)
  }
}

type Found = Pick<Request, 'objects' | 'upload' | 'target' | 'cookie' | 'accept' | 'lastEventId'>

/** A class, because an object literal with a getter takes five times as long to make. */
class HandledRequest implements Request {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly upload: Upload | undefined
  readonly caller: Request['caller']
  readonly place: Place
  readonly objects: View
  readonly target: unknown
  readonly traceId: string
  readonly address: string
  readonly cookie: string | undefined
  readonly accept: string | undefined
  readonly lastEventId: string | undefined
  readonly #visit: Visit

  constructor(visit: Visit, input: CheckedInput, found: Found) {
    this.params = input.params
    this.query = input.query
    this.body = input.body
    this.upload = found.upload
    this.caller = visit.caller
    this.place = visit.place
    this.objects = found.objects
    this.target = found.target
    this.traceId = visit.traceId
    this.address = visit.address
    this.cookie = found.cookie
    this.accept = found.accept
    this.lastEventId = found.lastEventId
    this.#visit = visit
  }

  get signal(): AbortSignal {
    return this.#visit.signal
  }

  get remaining(): Request['remaining'] {
    return () => this.#visit.remaining()
  }
}

/** What a request comes to: an answer in its final words, or one that is made while it is sent. */
export type Answer = WrittenReply | Exclude<AnyReply, Reply>

const written = (prepared: Preparation, reply: AnyReply): Answer => {
  if ('stream' in reply || 'lines' in reply || 'socket' in reply) return reply
  return reply instanceof ConcludedReply ? reply.written : prepared.write(reply)
}

/** What is thrown at once is thrown later. */
const inTime = async (run: () => Answer | Promise<Answer>): Promise<Answer> => run()

interface Work {
  readonly input: CheckedInput
  readonly incoming: Incoming
  readonly keyed: KeyedRequest | undefined
}

interface Run {
  readonly input: CheckedInput
  readonly incoming: Incoming
  readonly keyed: { readonly request: KeyedRequest; readonly takeFrom: string | undefined } | undefined
}

type Settled = { readonly answer: Answer } | { readonly error: unknown }

const settled = (running: Promise<Answer>): Promise<Settled> =>
  running.then(
    answer => ({ answer }),
    (error: unknown) => ({ error }),
  )

/** The key itself was held, and who held it is forgotten by now: it can be taken. */
const isAbout = (error: unknown, { key }: KeyedRequest): boolean =>
  error instanceof ConflictError && error.conflict.type === 'key' && error.conflict.key === key

/**
 * Whether a request may have had its effect before. Refusals are looked into too: the name that is taken may have been
 * taken by this very request. What is a bug, or a store that is away, is not an answer to anything.
 */
const mayHaveHappened = (result: Settled): boolean =>
  'answer' in result || result.error instanceof Problem || result.error instanceof ConflictError

/** What is at a place. There is no way to ask for a tenant's things without naming the tenant. */
export function viewOf({ cache }: Pick<DoorEngine, 'cache'>, place: Place): View {
  if (place.type === 'platform') return cache.platform()
  return place.type === 'project' ? cache.inProject(place.projectId) : cache.inOrganization(place.organizationId)
}
