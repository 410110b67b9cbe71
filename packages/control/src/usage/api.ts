import type { ReadCache, Store } from '@stead/engine'
import { type MetricsSample, unknownUsage, withDeadline } from '@stead/provider-kit'
import { type Duration, days, isoTime, minutes, parseDuration, seconds, type World } from '@stead/world'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { one, theInstance } from '../instances/api/room.ts'
import type { Instance } from '../instances/model.ts'
import { assertCan } from '../regions/capable.ts'
import type { RegionClients } from '../regions/clients.ts'
import { Region } from '../regions/model.ts'
import { Time } from '../resource/model.ts'
import { Type } from '../schema/type.ts'
import { problemOfProvider, reached } from '../streams/reach.ts'
import { linesOf, pointsIn, type Stretch } from './history.ts'
import { type ReadingName, readingNames, readingsOf, whole } from './reading.ts'

export interface UsageRoutesOptions {
  readonly clients: RegionClients
  readonly cache: Pick<ReadCache, 'onChange' | 'platform'>
  readonly store: Pick<Store, 'series'>
  readonly world: World
}

const Known = Type.Union([Type.Number(), Type.Null()])
const readings = Object.fromEntries(readingNames.map(name => [name, Known])) as Record<ReadingName, typeof Known>

const Usage = Type.Object(
  {
    at: Time,
    windowSeconds: Type.Union([Type.Number(), Type.Null()], {
      description: 'The time that rates are over; null where there is nothing to compare with, or nothing is known.',
    }),
    ...readings,
    services: Type.Record(Type.String(), Type.Object(readings)),
  },
  { title: 'Usage' },
)

const History = Type.Object(
  {
    from: Time,
    to: Time,
    stepSeconds: Type.Number(),
    series: Type.Array(
      Type.Object({
        name: Type.String(),
        service: Type.Optional(Type.String({ description: 'Absent: of the whole instance.' })),
        points: Type.Array(Type.Array(Known), {
          description:
            'Moments in milliseconds since the epoch, each with the mean of the step that begins there; null: not known.',
        }),
      }),
    ),
  },
  { title: 'MetricsHistory' },
)

/** What instances use: now, and as it was. */
export const usageRoutes = (options: UsageRoutesOptions): readonly Route[] => [
  route({
    method: 'GET',
    path: `${one}/usage`,
    summary: 'Read what an instance uses now',
    description: [
      '`cpu` is in cores, and like everything that is per second a mean over `windowSeconds`: two samples are taken, a second',
      'apart. What is not known is null, never 0; of what does not run, nothing is known.',
    ].join(' '),
    scope: 'project',
    permission: 'instances:read',
    target: theInstance,
    replies: { 200: Usage },
    refuses: ['unsupported', 'unavailable'],
    async handle({ target, signal }) {
      const samples = await measure(options, target, signal)
      const at = samples.at(-1)?.at ?? options.world.now()
      const [first, second = first] = samples
      const isCompared = second !== undefined && second !== first && second.since === first!.since
      const all = readingsOf(second ?? nothing(at), isCompared ? first : undefined, minutes(1))
      const { [whole]: total, ...services } = all
      const windowSeconds = isCompared ? (second.at - first!.at) / 1_000 : null
      return { status: 200, body: { at: isoTime(at), windowSeconds, ...total, services } }
    },
  }),
  route({
    method: 'GET',
    path: `${one}/metrics`,
    summary: 'Read what an instance has used',
    description: [
      'Measured every 15 s, or every minute where a region runs more than 1,000; kept as it was measured for 3 h, by the',
      'minute for a day, and by ten minutes for 30 days. The last minute, or five, may not be there yet.',
    ].join(' '),
    scope: 'project',
    permission: 'instances:read',
    target: theInstance,
    query: Type.Object({
      range: Type.Optional(Type.String({ maxLength: 20, description: 'How far back; 1h unless said, at most 30d.' })),
      step: Type.Optional(
        Type.String({ maxLength: 20, description: 'At least 15s; follows from the range unless said.' }),
      ),
      service: Type.Optional(Type.String({ maxLength: 63, description: 'Only of this service.' })),
      names: Type.Optional(Type.Array(Type.Enum([...readingNames]), { description: 'Only these.' })),
    }),
    replies: { 200: History },
    async handle({ target, query }) {
      const stretch = stretchOf(query, options.world.now())
      const points = await pointsIn(options.store.series, target.id, stretch)
      const { service, names } = query
      const lines = linesOf(points, stretch, { ...(service && { services: [service] }), ...(names && { names }) })
      const { from, to, step } = stretch
      const times = { from: isoTime(from as never), to: isoTime(to as never), stepSeconds: step / 1_000 }
      return { status: 200, body: { ...times, series: lines } }
    },
  }),
]

const nothing = (at: number): MetricsSample => ({ at: at as never, since: null, total: unknownUsage, services: {} })

const window = seconds(1)
const deadline = seconds(10)

/** Two samples, or none of what is not there. */
async function measure(
  { clients, cache, world }: UsageRoutesOptions,
  instance: Instance,
  signal: AbortSignal,
): Promise<readonly MetricsSample[]> {
  const region = cache.platform().get<Region>(Region.kind, instance.spec.region)
  if (region) await assertCan(region, 'metrics', clients)
  const server = reached({ clients, cache }, instance)
  if (!server) return []
  const { backendId } = server
  try {
    const provider = await server.provider()
    const sample = async () =>
      (await withDeadline(world, deadline, inner => provider.metrics!([backendId], { signal: inner }), signal)).get(
        backendId,
      )
    const first = await sample()
    if (!first || first.since === null) return first ? [first] : []
    await world.sleep(window, signal)
    const second = await sample()
    return second ? [first, second] : [first]
  } catch (error) {
    throw problemOfProvider(error) ?? error
  }
}

const longest = days(30)
const shortest = seconds(15)
const steps = ['1m', '5m', '10m', '30m', '1h', '3h', '6h'].map(text => parseDuration(text)!)
const usualPoints = 180
const mostPoints = 2_000

function stretchOf({ range, step }: { readonly range?: string; readonly step?: string }, now: number): Stretch {
  const length = durationOf('range', range ?? '1h', { least: minutes(1), most: longest })
  const chosen =
    step === undefined
      ? (steps.find(each => length / each <= usualPoints) ?? steps.at(-1)!)
      : durationOf('step', step, { least: shortest, most: length })
  if (length / chosen > mostPoints)
    throw fail('invalid_request', `that would be more than ${mostPoints} points`, {
      errors: [{ path: '?step', message: 'is too small for this range' }],
    })
  const to = Math.ceil(now / chosen) * chosen
  return { from: Math.floor((now - length) / chosen) * chosen, to, step: chosen }
}

function durationOf(name: string, text: string, { least, most }: { least: Duration; most: Duration }): Duration {
  const duration = parseDuration(text)
  if (duration !== undefined && duration >= least && duration <= most) return duration
  const message = `must be a duration from ${least / 1_000}s to ${most / 1_000}s`
  throw fail('invalid_request', `${name} ${message}`, { errors: [{ path: `?${name}`, message }] })
}
