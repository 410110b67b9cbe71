import type { Duration, World } from '@stead/world'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../errors/index.ts'
import { hostOf, isOwnOrigin } from './origin.ts'
import type { SocketReply } from './route.ts'
import { SocketStream } from './socket-stream.ts'
import type { Streams } from './streams.ts'
import { Upgrades } from './upgrade.ts'
import type { Visit } from './visit.ts'
import type { Witness } from './witness.ts'

export interface SocketsOptions {
  readonly streams: Streams
  readonly world: World
  readonly witness: Witness
  readonly heartbeat: Duration
  readonly publicUrl: string | undefined
}

export interface Opening {
  readonly visit: Visit
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly onBug: (error: unknown) => void
  /** Called once, however it ended. */
  readonly onEnded: () => void
}

/** Routes that are WebSockets: who may open one, and what is told of it. */
export class Sockets {
  readonly #options: SocketsOptions
  readonly #upgrades = new Upgrades()
  readonly #publicHost: string | undefined

  constructor(options: SocketsOptions) {
    this.#options = options
    this.#publicHost = hostOf(options.publicUrl)
  }

  mount(server: FastifyInstance): void {
    this.#upgrades.mount(server)
  }

  /** Refuses what cannot become a WebSocket, before it costs anything. */
  async prepare({ raw, headers }: FastifyRequest): Promise<void> {
    this.#upgrades.assert(raw)
    if (headers.origin !== undefined && !isOwnOrigin(headers, this.#publicHost))
      throw fail('forbidden', 'a page of somebody else may not open this')
    await this.#upgrades.ready()
  }

  async open({ visit, request, reply, onBug, onEnded }: Opening, answer: SocketReply): Promise<FastifyReply> {
    const { streams, world, witness, heartbeat } = this.#options
    streams.admit(answer.caller)
    // It no longer counts as a request under way: streams have limits of their own.
    visit.leave()
    reply.hijack()
    reply.raw.statusCode = 101
    const accepted = await this.#upgrades.accept(request.raw, reply.raw)
    if (!accepted) {
      onEnded()
      return reply
    }
    request.raw.socket.setKeepAlive(true, heartbeat)
    const stream = streams.open(
      answer,
      ({ maySend, onEnd }) =>
        new SocketStream({
          ...{ ...accepted, world, maySend, onBug },
          onEnd: reason => {
            onEnd(reason)
            witness.closed(visit, { reason, ...stream.outcome, seconds: Math.round(visit.elapsed() / 1_000) })
            onEnded()
          },
        }),
    )
    void (async () => answer.socket(stream))().catch(error => stream.fail(error))
    return reply
  }
}
