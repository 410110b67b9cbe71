import type { Kind, Revision, StoredObject, View } from '@stead/engine'
import type { Duration } from '@stead/world'
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../errors/index.ts'
import type { Caller, Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import type { ConflictRule } from './conflicts.ts'
import type { EventStream, StreamFormat } from './event-stream.ts'
import type { Services } from './services.ts'
import type { SocketStream } from './socket-stream.ts'

/**
 * Whose things a route is about; read from its path (`:organization`, `:project`), resolved as the caller sees them.
 */
export type Scope = 'platform' | 'organization' | 'project'

/**
 * What a caller must hold, at the route's scope. `public` needs no caller; `authenticated` needs any.
 * There is no default: a route without one does not start.
 */
export type Requirement = Permission | 'public' | 'authenticated'

export interface Reply {
  readonly status: number
  /** Sent as JSON, cut to the schema of the status. */
  readonly body?: unknown
  /** Sent as it is, in place of a body; the headers say what it is. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Of the object in the body: becomes its ETag. */
  readonly revision?: Revision
}

/** An answer that stays open: the route sends events until one side ends it. */
export interface StreamReply {
  /** How it is written; as server-sent events unless said. */
  readonly format?: StreamFormat
  /** Starts to send. What it throws ends the stream. */
  readonly stream: (events: EventStream) => void | Promise<void>
  /** Whether the caller may still have it, where that is more than the route's permission. Asked when rights change. */
  readonly stillAllowed?: () => boolean
}

/** An answer that is a conversation: a WebSocket. Only on routes that say `socket`. */
export interface SocketReply {
  /** Starts to send and receive. What it throws ends it. */
  readonly socket: (stream: SocketStream) => void | Promise<void>
  /** Whose it is: it counts among what they have open. */
  readonly caller: Caller
  /** Whether the caller may still have it. Asked when rights change. */
  readonly stillAllowed: () => boolean
}

/** An answer too long to be held at once: text in pieces, each made when the client has room for it. */
export interface LinesReply {
  /** Its `Content-Type`. */
  readonly type: string
  readonly lines: AsyncIterable<string>
}

export type AnyReply = Reply | StreamReply | SocketReply | LinesReply

/** The object a path names, by id or by name: `:widget` in `/v1/projects/:project/widgets/:widget`. */
export interface Target<Object extends StoredObject = StoredObject> {
  readonly kind: Kind<Object>
  /** Which path parameter names it; the kind's own name unless said. */
  readonly param?: string
  /** Which objects a text means, where that is more than an id or a name. */
  readonly find?: (objects: View, text: string, place: Place) => readonly Object[]
}

/** A body that is taken as it comes. It comes once: a handler that runs again gets the same one, with what it has read gone. */
export interface Upload {
  /** How long it says it is, if it does. */
  readonly announced: number | undefined
  readonly content: AsyncIterable<Uint8Array>
}

/** One request, after authentication, permission and validation. */
export interface Request<Params = unknown, Query = unknown, Body = unknown, Object = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** On routes that take an upload, and only there. */
  readonly upload: Upload | undefined
  /** Nobody, who may nothing, on public routes. */
  readonly caller: Caller
  /** Where it happens: the organization or project of the path. */
  readonly place: Place
  /** Everything there, and nothing else. */
  readonly objects: View
  /** The object that the path names, as it is now; it is what If-Match speaks of. */
  readonly target: Object
  readonly traceId: string
  /** Where the request came from. */
  readonly address: string
  /** The `Cookie` header: what a login left in the browser until it comes back. */
  readonly cookie: string | undefined
  /** The `Accept` header, for what can be had in several forms. */
  readonly accept: string | undefined
  /** `Last-Event-ID`, where a stream goes on. */
  readonly lastEventId: string | undefined
  /** Aborted when the client goes away, the deadline passes, or the answer has been sent to its end. */
  readonly signal: AbortSignal
  readonly remaining: () => Duration
}

type Typed<Schema> = Schema extends TSchema ? Static<Schema> : undefined
type TypedTarget<Of> = Of extends { readonly kind: Kind<infer Object> } ? Object : undefined

/**
 * A route is data: one schema validates, serialises, documents and types it.
 * `handle` gets only what has been checked, and either answers or throws `fail(code, …)`. It may run more than once for
 * one request, when others changed what it read before it could commit: it acts on the world only by `conclude`.
 */
export interface Route<
  Params extends TSchema | undefined = TSchema | undefined,
  Query extends TSchema | undefined = TSchema | undefined,
  Body extends TSchema | undefined = TSchema | undefined,
  Of extends Target | undefined = Target | undefined,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/v1/projects/:project/instances/:instance` */
  readonly path: string
  /** One line for the reference. */
  readonly summary: string
  /** More, for the reference, where a line is not enough. */
  readonly description?: string
  readonly scope: Scope
  readonly permission: Requirement
  readonly target?: Of
  /** Path parameters besides those of scope and target. */
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /**
   * In place of a JSON body: bytes of any number, which `handle` takes as they come, for as long as `deadline` says. What
   * they are, for the reference.
   */
  readonly upload?: string
  /** It is a WebSocket: what goes over it, for the reference. */
  readonly socket?: string
  /** Everything it answers when it does not refuse. Fields that a schema does not name are not sent. */
  readonly replies: Readonly<Record<number, TSchema>>
  /** One line of the answer, where `handle` may answer in lines: what it is called, and what each is. */
  readonly lines?: { readonly type: string; readonly schema: TSchema }
  /** What it refuses with besides what follows from its method, permission, target and body; for the reference. */
  readonly refuses?: readonly ErrorCode[]
  readonly examples?: { readonly body?: unknown; readonly reply?: unknown }
  /** What a failed expectation of its change-set means to a caller. */
  readonly conflicts?: readonly ConflictRule[]
  /**
   * A handler concludes with one commit, which carries the Idempotency-Key. One that must commit before that says
   * `many`: those earlier commits happen again when a request is repeated, so they must be safe to repeat.
   */
  readonly commits?: 'once' | 'many'
  /** For routes that wait by design; the door's own deadline unless said. */
  readonly deadline?: Duration
  handle(
    request: Request<Typed<Params>, Typed<Query>, Typed<Body>, TypedTarget<Of>>,
    services: Services,
  ): Promise<AnyReply> | AnyReply
}

/** Defines a route with its types inferred from its schemas. */
export const route = <
  const Params extends TSchema | undefined = undefined,
  const Query extends TSchema | undefined = undefined,
  const Body extends TSchema | undefined = undefined,
  const Of extends Target | undefined = undefined,
>(
  definition: Route<Params, Query, Body, Of>,
): Route => definition as unknown as Route

/** A route's name in messages. */
export const routeName = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`
