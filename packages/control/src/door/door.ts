import type { Logger, Metrics, Tracing } from '@stead/engine'
import { millis, type World } from '@stead/world'
import type { FastifyInstance } from 'fastify'
import { permissions as allPermissions } from '../identity/permissions.ts'
import { Admission, type Authenticate } from './admission.ts'
import { AnswerMetrics } from './answer-metrics.ts'
import { Answering } from './answering.ts'
import { checkRoutes } from './check-routes.ts'
import { Conclusion } from './conclusion.ts'
import type { ConflictRule } from './conflicts.ts'
import type { DoorEngine } from './engine.ts'
import { Feed } from './feed.ts'
import { follower } from './follow.ts'
import { HttpDoor } from './http.ts'
import type { ReplySealer } from './idempotency.ts'
import { startIdempotencyUpkeep } from './idempotency-upkeep.ts'
import { type DoorLimits, defaultLimits } from './limits.ts'
import { PreparedRoute } from './prepared-route.ts'
import { referenceRoutes } from './reference/routes.ts'
import type { Route } from './route.ts'
import { Streams } from './streams.ts'
import { noWitness, type Witness } from './witness.ts'
import { WrittenOnce } from './written-once.ts'

export interface DoorOptions {
  readonly routes: readonly Route[]
  readonly engine: DoorEngine
  readonly authenticate: Authenticate
  readonly world: World
  readonly log: Logger
  readonly metrics: Metrics
  readonly limits?: Partial<DoorLimits>
  /** Every permission there is: routes may name no other. */
  readonly permissions?: readonly string[]
  /** What conflicts mean on every route, asked after the route's own rules. */
  readonly conflicts?: readonly ConflictRule[]
  readonly witness?: Witness
  readonly tracing?: Tracing | undefined
  /** Keeps answers with secrets for repeated requests. */
  readonly sealer?: ReplySealer
  /** Kinds of objects that rights depend on: when one changes, everything open is asked again whether it may stay. */
  readonly rightsKinds?: readonly string[]
  /** Of Stead, for the reference. */
  readonly version?: string
  /** Whether callers reach us over TLS. */
  readonly isTls?: boolean
  /** Where browsers find us, when that is not what they say in Host. */
  readonly publicUrl?: string | undefined
  /** Checks every answer against its schema, and fails those that do not fit. For tests. */
  readonly checksReplies?: boolean
}

/** The front door: every route, on one server. */
export interface Door {
  /** Every route there is, those of the reference too. */
  readonly routes: readonly Route[]
  /** Puts the routes on a server, before it listens. Closing the server closes the door first. */
  mount(server: FastifyInstance): void
  /** Lets nobody in any more, ends every stream, and waits for the requests under way. */
  close(): Promise<void>
}

/** How long the last words of streams may take to reach their readers once everything else is done. */
const lastWordsTime = millis(100)

/** Builds the door. Throws when a route is not fit to be served, and says which and why. */
export function buildDoor(options: DoorOptions): Door {
  const { engine, world, log, metrics, authenticate, sealer } = options
  const { witness = noWitness, permissions = allPermissions, conflicts = [], checksReplies = false } = options
  const limits = { ...defaultLimits, ...options.limits }
  const routes = [...options.routes, ...referenceRoutes(options.routes, options.version ?? 'development')]
  checkRoutes(routes, { permissions, hasSealer: sealer !== undefined })

  const admission = new Admission({ engine, world, metrics, limits, authenticate })
  const streams = new Streams({ world, limits: limits.streams, metrics })
  const rightsKinds = new Set(options.rightsKinds)
  // Told before the feed is: what happens after a right was withdrawn, or with it, is not sent to who had it.
  const stopRechecking = engine.cache.onChange(({ changes }) => {
    if (changes.some(({ object }) => rightsKinds.has(object.kind))) streams.recheck()
  })
  const feed = new Feed(engine.cache, limits.streams.keptEntries)
  const conclusion = new Conclusion({ engine, world, sealer, witness })
  const follow = follower(engine, feed, admission.freshness)
  const reached = (revision: number) => admission.freshness.await(revision)
  const answering = new Answering({ engine, world, conclusion, sealer, follow, reached, conflicts })
  const once = new WrittenOnce()
  const prepared = routes.map(route => new PreparedRoute(route, { checksReplies, once }))
  const isTls = options.isTls ?? false
  const http = new HttpDoor({
    routes: prepared,
    engine,
    world,
    log,
    limits,
    admission,
    answering,
    streams,
    answers: new AnswerMetrics(metrics),
    witness,
    tracing: options.tracing,
    isTls,
    publicUrl: options.publicUrl,
  })

  const upkeep = startIdempotencyUpkeep({ engine, world, log })

  const close = async () => {
    http.close()
    streams.close()
    stopRechecking()
    feed.close()
    await Promise.all([admission.load.close(), upkeep.stop()])
  }
  return {
    routes,
    close,
    mount(server) {
      http.mount(server)
      server.addHook('preClose', async () => {
        await close()
        // Sockets that clients keep open for later would hold the server up for as long as they like. Who has begun to
        // ask is answered: how long that may take is for whoever stops the server to say.
        world.setTimer(lastWordsTime, () => server.server.closeIdleConnections())
      })
    },
  }
}
