import type { IncomingMessage, ServerResponse as Response } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import { fail } from '../errors/index.ts'

// Imported, it would bring along all of undici, which is 13 MB.
const { ServerResponse } = process.getBuiltinModule('node:http')

interface Upgrade {
  readonly socket: Duplex
  /** What came with the request already. */
  readonly head: Buffer
}

/** A WebSocket, and what it is spoken on. */
export interface Accepted {
  readonly socket: WebSocket
  readonly connection: Duplex
}

/** The subprotocol that is spoken. Clients that name none are taken to mean it. */
export const subprotocol = 'stead.v1'
/** Of one message. */
const mostBytes = 1_048_576

/** For the options of an HTTP server: which requests to change the protocol are heard. Others are requests like any. */
export const upgradesToSockets = ({ headers, method }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Requests for a WebSocket. They take the way of every request, through the table of routes, and are refused with the same
 * words; what speaks the protocol is loaded when the first one is let in, for most installations start without.
 */
export class Upgrades {
  readonly #waiting = new WeakMap<IncomingMessage, Upgrade>()
  #server: Promise<WebSocketServer> | undefined

  mount(server: FastifyInstance): void {
    server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // Nobody else listens yet, and it would end the process.
      socket.on('error', () => {})
      this.#waiting.set(request, { socket, head })
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket as never)
      // It was refused.
      response.on('finish', () => socket.end())
      server.routing(request, response)
    })
  }

  /** Refuses what is no request for a WebSocket, before anything is done for it. */
  assert(request: IncomingMessage): void {
    if (!this.#waiting.has(request)) throw wrong('Upgrade', 'must be websocket')
    const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = request.headers
    if (!/^[+/0-9A-Za-z]{22}==$/.test(key)) throw wrong('Sec-WebSocket-Key', 'must be 16 bytes in base64')
    if (version !== '13') throw wrong('Sec-WebSocket-Version', 'must be 13')
  }

  /** What it takes to accept: fetched before anything is done for the request. */
  ready(): Promise<WebSocketServer> {
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({
          noServer: true,
          clientTracking: false,
          perMessageDeflate: false,
          maxPayload: mostBytes,
          handleProtocols: offered => offered.has(subprotocol) && subprotocol,
        }),
    )
    return this.#server
  }

  /** Changes the protocol: from then on the response is nobody's. Undefined when the client has left. */
  async accept(request: IncomingMessage, response: Response): Promise<Accepted | undefined> {
    const server = await this.ready()
    const { socket, head } = this.#waiting.get(request)!
    let accepted: Accepted | undefined
    response.detachSocket(socket as never)
    // At once, or never.
    server.handleUpgrade(request, socket, head, opened => {
      accepted = { socket: opened, connection: socket }
    })
    return accepted
  }
}

const wrong = (path: string, message: string) =>
  fail('invalid_request', 'this is a WebSocket, and was not asked for as one', { errors: [{ path, message }] })
