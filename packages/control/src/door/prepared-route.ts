import type { TSchema } from 'typebox'
import type { FieldError } from '../errors/index.ts'
import { fieldsWrong } from '../resource/write.ts'
import { jsonSchema } from '../schema/json-schema.ts'
import { holdsSecrets } from '../schema/secret.ts'
import { type Shape, shapeOf } from '../schema/shape.ts'
import { Type } from '../schema/type.ts'
import { type Validator, validator } from '../schema/validator.ts'
import { queryReader } from './query.ts'
import { ReadReply } from './replies.ts'
import { type Reply, type Route, routeName } from './route.ts'
import { WrittenOnce } from './written-once.ts'
import type { WrittenReply } from './written-reply.ts'

/** What a request brought, as it came. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
}

export interface CheckedInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

const nothing = Type.Object({})
const noParams = {}
const none: readonly FieldError[] = []

interface PreparedReply {
  readonly shape: Shape
  readonly validator: Validator
}

export interface PreparedRouteOptions {
  /** Whether answers are checked against their schemas. */
  readonly checksReplies?: boolean
  /** Shared by all routes, so that it is bounded for all together. */
  readonly once?: WrittenOnce
}

/** What is asked of a route that was made ready. */
export type Preparation = Pick<PreparedRoute, 'route' | 'answersSecrets' | 'check' | 'write'>

/** A route with its schemas made ready, each when it is first used. */
export class PreparedRoute {
  readonly route: Route
  readonly #checksReplies: boolean
  readonly #once: WrittenOnce
  readonly #query: { readonly read: ReturnType<typeof queryReader>; readonly validator: Validator }
  readonly #params: Validator | undefined
  readonly #paramNames: readonly string[]
  readonly #body: Validator
  readonly #replies = new Map<number, PreparedReply>()
  #answersSecrets: boolean | undefined

  constructor(route: Route, { checksReplies = false, once = new WrittenOnce() }: PreparedRouteOptions = {}) {
    this.route = route
    this.#checksReplies = checksReplies
    this.#once = once
    const { query = nothing, params, body } = route
    this.#query = { read: queryReader(query), validator: validator(query) }
    this.#params = params && validator(params)
    this.#paramNames = Object.keys((params && jsonSchema(params).properties) ?? {})
    this.#body = validator(body ?? nothing)
  }

  /** Whether any answer of it holds what must not be kept in the open. */
  get answersSecrets(): boolean {
    this.#answersSecrets ??= Object.values(this.route.replies).some(holdsSecrets)
    return this.#answersSecrets
  }

  /** Everything that is wrong with a request is told at once. */
  check(input: RawInput): CheckedInput {
    const isGet = this.route.method === 'GET'
    const query = this.#query.read(input.query)
    const params = this.#ownParams(input.params)
    // A POST that says nothing says the same as one that says `{}`.
    const body = input.body ?? (isGet ? undefined : {})
    const ofParams = this.#params?.errors(params) ?? none
    const ofQuery = this.#query.validator.errors(query)
    const ofBody = isGet ? none : this.#body.errors(body)
    if (ofParams.length + ofQuery.length + ofBody.length > 0)
      throw fieldsWrong([...named(':', ofParams), ...named('?', ofQuery), ...ofBody])
    return { params, query, body }
  }

  /** Cuts the answer to its schema and writes it. */
  write(answer: Reply): WrittenReply {
    const reply = this.#reply(answer.status)
    if (!(answer instanceof ReadReply)) return this.#written(reply, answer)
    return this.#once.of(answer.object, reply, () => this.#written(reply, answer))
  }

  #written(reply: PreparedReply, { status, body, text, headers = {}, revision }: Reply): WrittenReply {
    const etag = revision === undefined ? {} : { etag: `"${revision}"` }
    const written = body === undefined ? text : JSON.stringify(this.#shaped(status, reply, body))
    return { status, headers: { ...etag, ...headers }, text: written, wire: undefined }
  }

  #ownParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.#paramNames.length === 0) return noParams
    return Object.fromEntries(this.#paramNames.map(name => [name, params[name]!]))
  }

  #shaped(status: number, { shape, validator }: PreparedReply, body: unknown): unknown {
    const shaped = shape(body)
    if (!this.#checksReplies) return shaped
    const errors = validator.errors(JSON.parse(JSON.stringify(shaped)))
    if (errors.length > 0)
      throw new Error(`${routeName(this.route)} answers ${status} against its schema: ${JSON.stringify(errors)}`)
    return shaped
  }

  #reply(status: number): PreparedReply {
    let prepared = this.#replies.get(status)
    if (!prepared) {
      const schema: TSchema | undefined = this.route.replies[status]
      if (!schema) throw new Error(`${routeName(this.route)} answers ${status}, which it does not declare`)
      prepared = { shape: shapeOf(jsonSchema(schema)), validator: validator(schema) }
      this.#replies.set(status, prepared)
    }
    return prepared
  }
}

/** A parameter is shown as it is written: `?limit`, `:port`. */
const named = (mark: string, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map(({ path, message }) => ({ path: path.replace('/', mark), message }))
