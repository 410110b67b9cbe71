import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Duration, seconds, type World } from '@stead/world'
import type { FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify'
import { fail, type Problem } from '../errors/index.ts'
import { single } from './admission.ts'
import { securityHeaders } from './headers.ts'
import { writeProblem } from './problem-answer.ts'
import { Traces } from './trace.ts'
import { upgradesToSockets } from './upgrade.ts'
import type { WrittenReply } from './written-reply.ts'

// Imported, it would bring along all of undici, which is 13 MB: Node looks at each of its exports.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

export interface ServerOptions {
  readonly world: World
  /** How long a client may take to send a whole request. */
  readonly receiveTime?: Duration
  /** Whether the address of a caller is what a proxy in front says it is. */
  readonly behindProxy?: boolean
}

/** What the door needs of the server it is mounted on: `Fastify({ …doorServerOptions({ world }), loggerInstance })`. */
export const doorServerOptions = ({ world, receiveTime = seconds(30), behindProxy = false }: ServerOptions) =>
  ({
    requestTimeout: receiveTime,
    http: receiving(receiveTime),
    // The address that the one proxy in front saw. Further ones in the header are what the caller made up.
    trustProxy: behindProxy ? (_address: string, hop: number) => hop < 1 : false,
    // Fastify's own would be loaded at each start, 110 files of them, for nobody: routes are checked and written by us.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    // `organization/project`, both of 63 characters, with everything in it percent-encoded.
    routerOptions: { maxParamLength: 400 },
    // While it stops, the door itself says so, in the words of every other refusal.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors(_error: unknown, request: FastifyRequest, reply: FastifyReply) {
      const { status, headers, text } = refusal(world, single(request.headers.traceparent))
      void reply
        .code(status)
        .headers({ ...securityHeaders, ...headers })
        .send(text)
    },
    clientErrorHandler(_error: Error, socket: Socket) {
      if (!socket.writable) return void socket.destroy()
      socket.end(rawAnswer(refusal(world, undefined)))
    },
  }) satisfies FastifyHttpOptions<Server>

/**
 * How long requests may take to come, and which may become something else, for `http` or `https` of Fastify. Node looks only every 30 s unless told, and
 * exchanges the two times when the one for headers, 60 s unless told, is the longer.
 */
export const receiving = (receiveTime: Duration = seconds(30)) => ({
  headersTimeout: receiveTime,
  connectionsCheckingInterval: Math.min(receiveTime, seconds(5)),
  shouldUpgradeCallback: upgradesToSockets,
})

const noSchema = () => () => {
  throw new Error('a route has a schema of Fastify: put it in the table of routes')
}

/** What cannot even be read as a request. */
const refusal = (world: World, traceparent: string | undefined): WrittenReply => {
  const problem: Problem = fail('invalid_request', 'this is not a request that can be read')
  return writeProblem(problem, new Traces(world).of(traceparent).traceId)
}

/** An answer without a server to write it: the request it is for was never understood. */
function rawAnswer({ status, headers, text = '' }: WrittenReply): string {
  const all = { ...securityHeaders, ...headers, 'content-length': String(Buffer.byteLength(text)), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`
}
