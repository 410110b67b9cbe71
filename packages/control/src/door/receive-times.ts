import type { IncomingMessage, Server } from 'node:http'
import { type Duration, millis, type Timer, type World } from '@stead/world'
import type { PreparedRoute } from './prepared-route.ts'
import { hasBody } from './upload.ts'

/**
 * Uploads may take longer to come than other requests, and Node knows one time for all requests of a server. It is told
 * the longest; the usual one, which the server was made with, is minded here for every request but uploads.
 */
export class ReceiveTimes {
  readonly #world: World
  readonly #timers = new WeakMap<IncomingMessage, Timer>()

  constructor(world: World) {
    this.#world = world
  }

  mind(server: Server, routes: readonly PreparedRoute[]): void {
    const uploads = routes.flatMap(({ route: { upload, deadline } }) => (upload === undefined ? [] : [deadline!]))
    const usual = millis(server.requestTimeout)
    if (uploads.length === 0 || usual === 0) return
    server.requestTimeout = Math.max(usual, ...uploads)
    // First of all: whoever lifts it does so later.
    server.prependListener('request', (request: IncomingMessage) => {
      if (hasBody(request)) this.#limit(server, request, usual)
    })
  }

  /** It is an upload, whose time its route says. */
  lift(request: IncomingMessage): void {
    this.#timers.get(request)?.cancel()
  }

  #limit(server: Server, request: IncomingMessage, time: Duration): void {
    // As Node itself says it of one that is late.
    const timer = this.#world.setTimer(time, () => {
      if (!request.complete) server.emit('clientError', new Error('a request took too long to come'), request.socket)
    })
    this.#timers.set(request, timer)
    request.once('close', () => timer.cancel())
  }
}
