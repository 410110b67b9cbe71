export { placeOf } from './access.ts'
export type { Authenticate, Credentials } from './admission.ts'
export { AnswerMetrics } from './answer-metrics.ts'
export { type Conflicted, type ConflictRule, onKey, onLimit } from './conflicts.ts'
export { fingerprint, type Position, readCursor, writeCursor } from './cursor.ts'
export { buildDoor, type Door, type DoorOptions } from './door.ts'
export type { DoorEngine } from './engine.ts'
export { type EndReason, EventStream, type SentEvent } from './event-stream.ts'
export { find, lookUp, theOne } from './find.ts'
export { type ReplySealer, replySealer } from './idempotency.ts'
export { type DoorLimits, defaultLimits } from './limits.ts'
export { type Listing, type ListQuery, listQuery, listReply } from './list.ts'
export { openApiDocument } from './reference/openapi.ts'
export { accepted, created, ok } from './replies.ts'
export {
  type LinesReply,
  type Reply,
  type Request,
  type Requirement,
  type Route,
  route,
  routeName,
  type Scope,
  type StreamReply,
  type Target,
} from './route.ts'
export { doorServerOptions, receiving, type ServerOptions } from './server-options.ts'
export type { FollowOptions, Outcome, Services } from './services.ts'
export { type Watchable, type WatchRouteOptions, watchRoute } from './watch-route.ts'
export type { Act, Ending, Witness } from './witness.ts'
