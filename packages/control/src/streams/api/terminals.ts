import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { one, theInstance } from '../../instances/api/room.ts'
import { Type } from '../../schema/type.ts'
import { problemOfProvider, type ReachedServer, reachServer } from '../reach.ts'
import { assertService } from '../service.ts'
import { ConsoleBody, ExecBody } from '../terminal/request.ts'
import { Ticket } from '../tickets/model.ts'
import { issueTicket } from '../tickets/tickets.ts'
import type { StreamRoom } from './room.ts'

const ticketed = 'The answer is a ticket: it opens one WebSocket at its `url`, once, within a minute.'
const at = (path: string) => ({ path: `${one}/${path}`, scope: 'project', target: theInstance }) as const
const refuses = ['unsupported', 'invalid_state', 'not_ready', 'operation_in_progress'] as const

export const terminalRoutes = (room: StreamRoom): readonly Route[] => [
  route({
    ...at('exec'),
    method: 'POST',
    summary: 'Run a command inside of an instance',
    description: ticketed,
    permission: 'instances:exec',
    body: ExecBody,
    replies: { 201: Ticket },
    refuses,
    examples: { body: { command: ['sh'], tty: true, columns: 120, rows: 40 } },
    async handle(request, services) {
      const { target, body } = request
      assertService(target, body.service, '/service')
      const server = await reachServer(room, target, { group: 'exec', access: 'exec' })
      if (body.tty && !(await hasTerminals(server))) throw fail('unsupported', 'its region has no terminals')
      return issueTicket(room, services, request, { type: 'exec', request: body })
    },
  }),
  route({
    ...at('console'),
    method: 'POST',
    summary: 'Open the console of a machine',
    description: ticketed,
    permission: 'instances:console',
    body: ConsoleBody,
    replies: { 201: Ticket },
    refuses,
    examples: { body: { scrollbackBytes: 4_096 } },
    async handle(request, services) {
      await reachServer(room, request.target, { group: 'console', access: 'console' })
      return issueTicket(room, services, request, { type: 'console', request: request.body })
    },
  }),
  route({
    ...at('console/output'),
    method: 'GET',
    summary: 'Read the last of what a console has shown',
    permission: 'instances:console',
    query: Type.Object({
      bytes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_048_576, description: 'At most so much; 65536 unless said.' }),
      ),
    }),
    replies: { 200: Type.String({ contentMediaType: 'text/plain' }) },
    refuses,
    async handle({ target, query: { bytes = 65_536 }, signal }) {
      const server = await reachServer(room, target, { group: 'console', access: 'read' })
      const output = await asked(async () => {
        const provider = await server.provider()
        return provider.console!.output(server.backendId, { scrollbackBytes: bytes, signal })
      })
      const text = Buffer.from(output).subarray(-bytes).toString()
      return { status: 200, text, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    },
  }),
]

const hasTerminals = ({ provider }: ReachedServer): Promise<boolean> =>
  asked(async () => (await provider()).capabilities().groups.exec?.tty ?? false)

/** What a provider refuses is told in our words. */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw problemOfProvider(error) ?? error
  }
}
