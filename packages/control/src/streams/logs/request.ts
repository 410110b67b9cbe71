import { isProviderError, withDeadline } from '@stead/provider-kit'
import { after, type Instant, millis, parseDuration, seconds, type World } from '@stead/world'
import type { Static } from 'typebox'
import { fail } from '../../errors/index.ts'
import type { Instance } from '../../instances/model.ts'
import { mainService } from '../../instances/source/services.ts'
import { readTime } from '../../records/list.ts'
import { Type } from '../../schema/type.ts'
import { problemOfProvider, type ReachedServer, reached, reachServer, type StreamSurroundings } from '../reach.ts'
import { assertService } from '../service.ts'
import { type InstanceLogOptions, sendLog } from './instance-log.ts'
import type { Begun, LogStart } from './log-reads.ts'
import { type LogPlace, readPlace } from './place.ts'
import type { LineSink } from './sink.ts'

/** What can be asked of a log, as a query or as a body. */
export const logParameters = {
  service: Type.Optional(
    Type.String({ maxLength: 255, description: 'Which service; the main one unless said, `*` for all of them.' }),
  ),
  follow: Type.Optional(Type.Boolean({ description: 'Goes on as lines are printed, until the instance is gone.' })),
  tail: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Only this many of the last lines, then what follows.',
    }),
  ),
  since: Type.Optional(
    Type.String({ maxLength: 64, description: 'Not older than this: `2026-11-15T12:00:00Z`, or `10m` for a span.' }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: 4_096,
      description:
        'The cursor of the last line that was read: only what comes after it. Tail and since then do not count.',
    }),
  ),
}

export const LogQuery = Type.Object(logParameters, { title: 'LogRequest' })
export type LogQuery = Static<typeof LogQuery>

export interface LogAsked {
  readonly instance: Instance
  readonly query: LogQuery
  /** How a field of the query is called in messages. */
  readonly path: (field: keyof LogQuery) => string
  readonly world: World
  /** Whether anybody still waits for it to be opened. */
  readonly signal: AbortSignal
}

type Checked = Omit<LogAsked, 'signal'>

/** How long a backend may take to show that it can be read. */
const openingTime = seconds(10)

/** Refuses what cannot be read, before anything is asked of the backend. */
export async function checkLog(options: StreamSurroundings, asked: Checked) {
  const service = serviceOf(asked)
  const place = placeOf(asked)
  const start = place ? {} : startOf(asked)
  const active = await reachServer(options, asked.instance, { group: 'logs', access: 'read' })
  return { service, place, start, active }
}

/** A log that can be read: sends it, until its end or until the signal says so. */
export type OpenedLog = (sink: LineSink, signal: AbortSignal) => Promise<void>

/** Opens the log of an instance. Whatever is in the way is told here, before anything is answered. */
export async function openLog(options: InstanceLogOptions, asked: LogAsked): Promise<OpenedLog> {
  const { instance, query } = asked
  const { service, place, start, active } = await checkLog(options, asked)
  try {
    const begin = (server: ReachedServer, from: LogStart) => beginLog(options, asked, { server, service, from })
    const resumed = place && (await resume(options, { instance, place, begin }))
    const { server, begun } = resumed ?? (await begin(active, start))
    const isTorn = place !== undefined && resumed === undefined
    const follow = query.follow ?? false
    const request = { instanceId: instance.id, server, service, begun, follow, isTorn }
    return (sink, signal) => sendLog(options, { ...request, sink, signal })
  } catch (error) {
    if (place && isProviderError(error, 'InvalidConfig')) throw noCursor(asked)
    throw problemOfProvider(error) ?? error
  }
}

interface Beginning {
  readonly server: ReachedServer
  readonly service: string | undefined
  readonly from: LogStart
}

async function beginLog(
  { reads }: InstanceLogOptions,
  { world, signal }: LogAsked,
  { server, service, from }: Beginning,
): Promise<{ readonly server: ReachedServer; readonly begun: Begun }> {
  const begin = (end: AbortSignal) => reads.begin({ server, service, signal: end }, from)
  return { server, begun: await withDeadline(world, openingTime, begin, signal) }
}

interface Resuming {
  readonly instance: Instance
  readonly place: LogPlace
  readonly begin: (server: ReachedServer, from: LogStart) => ReturnType<typeof beginLog>
}

/** Goes on in the log of the server that a reader has last seen; undefined when that is gone. */
async function resume(options: InstanceLogOptions, { instance, place, begin }: Resuming) {
  const before = reached(options, instance, place.server)
  try {
    return before && (await begin(before, { after: place.cursor }))
  } catch (error) {
    if (isProviderError(error, 'NotFound')) return undefined
    throw error
  }
}

function placeOf(asked: Checked): LogPlace | undefined {
  const { after } = asked.query
  const place = after === undefined ? undefined : readPlace(after)
  if (after !== undefined && !place) throw noCursor(asked)
  return place
}

const noCursor = ({ path }: Checked) => wrong(path('after'), 'must be the cursor of a line of this log')

/** Which service is meant; undefined for all there is. */
function serviceOf({ instance, query: { service }, path }: Checked): string | undefined {
  const { services } = instance.spec.source
  if (service === '*') return undefined
  assertService(instance, service, path('service'))
  return service ?? (services && mainService(services))
}

function startOf({ query: { tail, since }, path, world }: Checked): LogStart {
  const moment = since === undefined ? undefined : momentOf(since, world)
  if (since !== undefined && moment === undefined)
    throw wrong(path('since'), 'must be a time like 2026-11-15T12:00:00Z, or a span like 10m')
  return { ...(tail !== undefined && { tail }), ...(moment !== undefined && { since: moment }) }
}

function momentOf(text: string, world: World): Instant | undefined {
  const span = parseDuration(text)
  return span === undefined ? readTime(text) : after(world.now(), millis(-span))
}

const wrong = (path: string, message: string) =>
  fail('invalid_request', `${path} ${message}`, { errors: [{ path, message }] })
