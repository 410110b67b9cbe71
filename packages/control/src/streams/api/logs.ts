import { type EventStream, endReasons, jsonLines, jsonLinesType, serverSentEvents } from '../../door/event-stream.ts'
import type { Piece } from '../../door/piece.ts'
import { type Route, route } from '../../door/route.ts'
import { one, theInstance } from '../../instances/api/room.ts'
import { Type } from '../../schema/type.ts'
import { type LogBatch, ShownLine } from '../logs/lines.ts'
import { checkLog, LogQuery, type OpenedLog, openLog } from '../logs/request.ts'
import type { LineSink } from '../logs/sink.ts'
import { problemOfProvider } from '../reach.ts'
import { Ticket } from '../tickets/model.ts'
import { issueTicket } from '../tickets/tickets.ts'
import type { StreamRoom } from './room.ts'

const description = [
  'Each event is one line, `{"ts","service","stream","line"}`, with its cursor as id; a client that comes back sends',
  'Last-Event-ID (or `after`) and neither loses nor doubles a line, also when the instance was restarted or replaced, or',
  'Stead itself was. `end` says why the server ended the stream: `finished` when all there is was read or the instance is',
  'gone, anything else means: connect again. A slow reader holds up nobody but itself.',
  'As `application/x-ndjson`, each line is a JSON document with its `cursor`; the last is `{"end":{"reason"}}`.',
].join(' ')

const LogEnd = Type.Object(
  { end: Type.Object({ reason: Type.Enum([...endReasons]), detail: Type.String() }) },
  { title: 'LogEnd' },
)

/** Comments: what comes of a log is lines, and no event but the last is anything else. */
const events = { ...serverSentEvents, heartbeat: ': here\n\n' }

export const logRoutes = (room: StreamRoom): readonly Route[] => [
  route({
    method: 'GET',
    path: `${one}/logs`,
    summary: 'Read or follow what an instance prints',
    description,
    scope: 'project',
    permission: 'instances:logs',
    target: theInstance,
    query: LogQuery,
    replies: { 200: Type.String({ contentMediaType: 'text/event-stream' }) },
    lines: { type: jsonLinesType, schema: Type.Union([ShownLine, LogEnd]) },
    refuses: ['unsupported', 'not_ready'],
    async handle({ target, query, accept, lastEventId, signal }, { world }) {
      const after = lastEventId ?? query.after
      const path = (field: string) => (field === 'after' && lastEventId !== undefined ? 'Last-Event-ID' : `?${field}`)
      const asked = { ...query, ...(after !== undefined && { after }) }
      const log = await openLog(room, { instance: target, query: asked, path, world, signal })
      const isInLines = accept?.includes(jsonLinesType) ?? false
      return isInLines
        ? { format: jsonLines, stream: stream => send(stream, log, inLines) }
        : { format: events, stream: stream => send(stream, log, inEvents) }
    },
  }),
  route({
    method: 'POST',
    path: `${one}/logs`,
    summary: 'Ask for a WebSocket on which the log of an instance is read',
    description: 'The answer is a ticket: it opens one WebSocket at its `url`, once, within a minute.',
    scope: 'project',
    permission: 'instances:logs',
    target: theInstance,
    body: LogQuery,
    replies: { 201: Ticket },
    refuses: ['unsupported', 'not_ready'],
    examples: { body: { follow: true, tail: 100 } },
    async handle(request, services) {
      const { target: instance, body } = request
      const path = (field: string) => `/${field}`
      await checkLog(room, { instance, query: body, path, world: services.world })
      return issueTicket(room, services, request, { type: 'logs', request: body })
    },
  }),
]

type Encode = (batch: LogBatch) => Piece

const inEvents: Encode = batch => batch.events
const inLines: Encode = batch => batch.documents

/** Sends what there is room for, and no more. */
async function send(stream: EventStream, log: OpenedLog, encode: Encode): Promise<void> {
  stream.isPatient = true
  const sink: LineSink = {
    take(batch) {
      stream.writePiece(encode(batch))
      return stream.isFlowing
    },
    room: () => stream.drained(),
  }
  try {
    await log(sink, stream.signal)
    stream.end('finished', 'there is nothing more to read')
  } catch (error) {
    if (!stream.isOpen) return
    const problem = problemOfProvider(error)
    if (!problem) throw error
    stream.end('unavailable', problem.message)
  }
}
