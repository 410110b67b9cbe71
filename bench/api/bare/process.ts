// Fastify with a route per request and nothing else: answers bytes it was given, checks nothing, keeps nothing.
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

/** What it answers, as JSON. */
export interface BareAnswers {
  readonly get: string
  readonly list: string
  readonly create: string
}

/** What it says: where it listens, and then, whenever it is sent anything, the processor time it has used. */
export type BareMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'used'; readonly seconds: number }

const say = (message: BareMessage) => process.send?.(message)

async function listen({ get, list, create }: BareAnswers): Promise<void> {
  const server = Fastify()
  const json = 'application/json; charset=utf-8'
  server.get('/get', (_request, reply) => reply.type(json).send(get))
  server.get('/list', (_request, reply) => reply.type(json).send(list))
  server.post('/create', (_request, reply) => reply.code(201).type(json).send(create))
  await server.listen({ host: '127.0.0.1', port: 0 })
  say({ type: 'listening', port: (server.server.address() as AddressInfo).port })
}

process.once('message', async (answers: BareAnswers) => {
  await listen(answers)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    say({ type: 'used', seconds: (user + system) / 1e6 })
  })
})
process.once('disconnect', () => process.exit())
