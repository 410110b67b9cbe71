// Fastify with a route per request and nothing else: answers bytes it was given, checks nothing, keeps nothing.
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Operation, SentAnswer } from '../contender.ts'

export type BareAnswers = Readonly<Record<Operation, SentAnswer>>

/** What it says: where it listens, and then, whenever it is sent anything, the processor time it has used. */
export type BareMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'used'; readonly seconds: number }

const say = (message: BareMessage) => process.send?.(message)

async function listen({ get, list, create }: BareAnswers): Promise<void> {
  const server = Fastify()
  const give = ({ status, headers, body }: SentAnswer) => {
    return (_request: FastifyRequest, reply: FastifyReply) => reply.code(status).headers(headers).send(body)
  }
  server.get('/v1/projects/:project', give(get))
  server.get('/v1/organizations/:organization/projects', give(list))
  server.post('/v1/organizations/:organization/projects', give(create))
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
