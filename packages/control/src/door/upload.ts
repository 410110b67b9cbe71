import type { IncomingMessage, ServerResponse } from 'node:http'
import { seconds, type World } from '@stead/world'
import type { FastifyRequest } from 'fastify'
import { fail } from '../errors/index.ts'
import { mustBe, uploadType } from './media-types.ts'
import type { Upload } from './route.ts'

/** How long what is left of a refused upload is listened to. */
const restTime = seconds(2)

/** What a request brings, on a route that takes uploads. */
export function uploadOf({ body, headers }: FastifyRequest): Upload {
  if (body === undefined) throw mustBe(uploadType)
  const length = headers['content-length']
  return {
    announced: length === undefined ? undefined : Number(length),
    content: arriving(body as IncomingMessage),
  }
}

async function* arriving(body: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // Whoever stops reading is about to refuse: the connection must live long enough to say why.
    yield* body.iterator({ destroyOnReturn: false })
  } catch {
    throw fail('unavailable', 'the client went away')
  }
}

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Ends an answer when the client has sent the rest of what it was sending, or soon: a connection that is closed while
 * data comes is reset, and the answer is lost with it.
 */
export function endAfterRest(request: IncomingMessage, response: ServerResponse, world: World): void {
  const timer = world.setTimer(restTime, () => response.end())
  request.once('close', () => {
    timer.cancel()
    response.end()
  })
  request.resume()
}
