import { type Provider, withDeadline } from '@stead/provider-kit'
import { seconds, type World } from '@stead/world'
import { problemBody } from '../door/problem-answer.ts'
import type { SocketStream } from '../door/socket-stream.ts'
import type { Problem } from '../errors/index.ts'
import type { StreamRoom } from './api/room.ts'
import { type LogQuery, openLog } from './logs/request.ts'
import { problemOfProvider, reachServer } from './reach.ts'
import { controlFrame } from './terminal/frames.ts'
import { type ConsoleBody, consoleOptions, type ExecBody, execRequest } from './terminal/request.ts'
import { converse, ofConsole, ofExec, type Terminal } from './terminal/terminal.ts'
import type { Taken } from './tickets/tickets.ts'

export interface OpenedStream extends Taken {
  readonly stream: SocketStream
  readonly traceId: string
  readonly world: World
}

/** How long a backend may take to open something. */
const openingTime = seconds(30)

/** Does what a ticket was for, until it ends, the instance does, or the right to it does. */
export async function openStream(room: StreamRoom, opened: OpenedStream): Promise<void> {
  const { stream, type } = opened
  endWithInstance(room, opened)
  try {
    if (type === 'logs') await sendLines(room, opened)
    else await openTerminal(room, opened, type)
  } catch (error) {
    // What comes of it once one side has left is of no interest.
    if (!stream.isOpen) return
    const problem = problemOfProvider(error)
    if (!problem) throw error
    if (type === 'logs') stream.end('unavailable', problem.message)
    else refuse(opened, problem)
  }
}

function endWithInstance({ cache }: StreamRoom, { stream, instance }: OpenedStream): void {
  const stop = cache.onChange(({ changes }) => {
    if (changes.some(({ op, object }) => op === 'remove' && object.id === instance.id))
      stream.end('finished', 'the instance is gone')
  })
  stream.signal.addEventListener('abort', stop)
}

async function sendLines(room: StreamRoom, { stream, instance, request, world }: OpenedStream): Promise<void> {
  // Nothing is asked of who reads.
  stream.divert(() => true)
  const query = request as LogQuery
  const path = (field: string) => `/${field}`
  const log = await openLog(room, { instance, query, path, world, signal: stream.signal })
  await log({ take: ({ frames }) => stream.sendFrames(frames), room: () => stream.drained() }, stream.signal)
  stream.end('finished', 'there is nothing more to read')
}

async function openTerminal(room: StreamRoom, opened: OpenedStream, type: 'exec' | 'console'): Promise<void> {
  const { stream, instance, world } = opened
  // Much may have become of it since the ticket was given.
  const server = await reachServer(room, instance, { group: type, access: type })
  const open = type === 'exec' ? execOf(opened.request as ExecBody) : consoleOf(opened.request as ConsoleBody)
  const begin = async (signal: AbortSignal) => open(await server.provider(), server.backendId, signal)
  const terminal = await withDeadline(world, openingTime, begin, stream.signal)
  const used = () => room.use.note(instance.id)
  used()
  // A command that runs is at work though it says nothing; a terminal may only have been forgotten.
  if (type === 'exec' && !(opened.request as ExecBody).tty) stream.onBeat = used
  await converse({ stream, terminal, used, refuse: problem => refuse(opened, problem) })
}

type Opening = (provider: Provider, backendId: string, signal: AbortSignal) => Promise<Terminal>

const execOf =
  (body: ExecBody): Opening =>
  async (provider, backendId, signal) => {
    const session = await provider.exec!(backendId, execRequest(body), { signal })
    if (body.stdin === false) await session.endInput()
    return ofExec(session)
  }

const consoleOf =
  (body: ConsoleBody): Opening =>
  async (provider, backendId, signal) =>
    ofConsole(await provider.console!.open(backendId, consoleOptions(body, signal)))

/** Says what went wrong, and ends it. */
function refuse({ stream, traceId }: OpenedStream, problem: Problem): void {
  void stream.send(controlFrame({ type: 'error', problem: problemBody(problem, traceId) }))
  stream.outcome = { ...stream.outcome, code: problem.code }
  stream.end('unavailable', problem.message)
}
