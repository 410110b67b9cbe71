import { type Route, route } from '../../door/route.ts'
import { Type } from '../../schema/type.ts'
import { openStream } from '../open.ts'
import { takeTicket } from '../tickets/tickets.ts'
import type { StreamRoom } from './room.ts'

const protocol = [
  'Subprotocol `stead.v1`. Terminals: binary frames whose first byte is the channel: 0 input (from the client), 1 stdout,',
  '2 stderr, 3 control, which is JSON. Clients say `{"type":"resize","columns","rows"}`, `{"type":"signal","signal":"INT"}`',
  'and `{"type":"end"}` (of input); the server says `{"type":"ready"}`, `{"type":"exit","code","signal"?}` and',
  '`{"type":"error","problem"}`. Logs: text frames, each a line as JSON with its `cursor`. Closed with 1000 at the end, 1001',
  'when the server stops, 1008 when the right to it was withdrawn, 1011 after an error.',
].join(' ')

export const openRoutes = (room: StreamRoom): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/streams/:ticket',
    summary: 'Open what a ticket is for',
    scope: 'platform',
    permission: 'public',
    params: Type.Object({ ticket: Type.String({ maxLength: 200, description: 'It opens once.' }) }),
    socket: protocol,
    replies: { 101: Type.Null() },
    commits: 'many',
    async handle({ params, traceId }, services) {
      const { world } = services
      const taken = await takeTicket(room, services, params.ticket)
      const { caller, stillAllowed } = taken
      return { caller, stillAllowed, socket: stream => openStream(room, { ...taken, stream, traceId, world }) }
    },
  }),
]
