import {
  again,
  type Controller,
  changeSet,
  controller,
  createMetrics,
  DeadlineError,
  type Metrics,
  type ReconcileContext,
  type Result,
  type Wake,
} from '@stead/engine'
import { backoff, isProviderError, listAll, ownerTags, type Provider } from '@stead/provider-kit'
import { type Duration, millis, minutes, seconds } from '@stead/world'
import { Region } from '../../regions/model.ts'
import { isMoving, movingServers, type Server, servers, serversByBackend } from '../model.ts'
import { Orphan, orphansByRegion } from '../orphans/model.ts'
import { sweep, sweepMetrics } from '../orphans/sweep.ts'
import type { ServerSurroundings } from '../reach.ts'
import { type News, RegionMemory } from './memory.ts'
import { findingIn, isThere, placeOf, seen } from './picture.ts'
import { type Census, canRelabel, gone, survey } from './survey.ts'
import { watchOver } from './watch-over.ts'
import { type SeenServer, writeSeen } from './write.ts'

const calls = {
  connect: { name: 'connect', mutates: false, deadline: seconds(30) },
  watch: { name: 'watch', mutates: false, deadline: seconds(30) },
  list: { name: 'list', mutates: false, deadline: minutes(2) },
} as const

/** How long one pass listens: a region that goes to another node is not held up for longer. */
const listenFor = seconds(1)
/** A region that does not answer is asked again after this, and ever later. */
const retries = { base: seconds(1), cap: seconds(30) }

export interface ObserverOptions extends Pick<ServerSurroundings, 'store' | 'clients'> {
  readonly metrics?: Metrics
}

interface Pass {
  readonly region: Region
  readonly context: ReconcileContext
  readonly memory: RegionMemory
  readonly provider: Provider
}

/**
 * Sees what there is in each region: by the backend's stream of changes where it has one, and by one paged list of
 * everything; never by asking for each server. What it saw is written to the servers it belongs to.
 */
export function regionObserver({ store, clients, metrics = createMetrics() }: ObserverOptions): Controller {
  const memories = new Map<string, RegionMemory>()
  const sweeping = sweepMetrics(metrics)

  const memoryOf = ({ id }: Region, { world }: ReconcileContext): RegionMemory => {
    const tags = ownerTags({ controlPlane: store.identity.storeId, region: id })
    const memory = memories.get(id) ?? new RegionMemory(world, tags)
    memories.set(id, memory)
    return memory
  }

  const look = async (pass: Pass): Promise<Duration> => {
    const { memory, context, region } = pass
    const { groups, consistency } = pass.provider.capabilities()
    const streams = groups.watch !== undefined
    memory.readsNow(context.cache.revision, consistency.list)
    const untilList = () => {
      const moves = memory.isStirring(doesMove(context, region.id), consistency.list)
      return memory.untilList({ streams, moves, doubts: isReaping(context, region.id) })
    }
    if (streams) await listen(pass, millis(Math.min(listenFor, untilList())))
    if (untilList() > 0) return streams ? millis(0) : untilList()
    const census = await takeCensus(pass, ownerTags({ controlPlane: store.identity.storeId, region: region.id }))
    await digest(pass, census)
    await sweep({ ...pass, store, metrics: sweeping })
    return streams ? millis(0) : untilList()
  }

  return controller<Region>({
    name: 'region-observer',
    kind: Region.kind,
    parkedCondition: 'ObserverParked',
    wakes: [movingWake, reapWake],
    async reconcile(region, context) {
      const memory = memoryOf(region, context)
      try {
        const provider = await context.outside(calls.connect, () => clients.of(region))
        const pause = await look({ region, context, memory, provider })
        memory.failures = 0
        return again(pause, 'looking again')
      } catch (error) {
        return rest(error, memory, context)
      }
    },
    forgotten({ id }) {
      memories.get(id)?.stream.close()
      memories.delete(id)
    },
  })
}

/** Something begins to move: it is looked at more often now, if there is no stream. */
const movingWake: Wake = {
  kind: servers,
  keys({ object, previous }) {
    const [now, before] = [object as Server, previous as Server | undefined]
    return isMoving(now) && !(before && isMoving(before)) ? [now.spec.region] : []
  },
}

const doesMove = ({ cache }: ReconcileContext, region: string): boolean =>
  cache.count({ kind: servers, index: { name: movingServers.name, key: region } }) > 0

/** An operator has said that an orphan is to go. */
const reapWake: Wake = {
  kind: Orphan.kind,
  keys: ({ object }) => ((object as Orphan).spec.reap ? [(object as Orphan).spec.region] : []),
}

const isReaping = ({ cache }: ReconcileContext, region: string): boolean =>
  cache.count({
    kind: Orphan.kind,
    index: { name: orphansByRegion.name, key: region },
    where: ({ spec }) => spec.reap !== undefined,
  }) > 0

function rest(error: unknown, memory: RegionMemory, context: ReconcileContext): Result {
  if (context.signal.aborted || !(isProviderError(error) || error instanceof DeadlineError)) throw error
  memory.failures++
  context.log.warn({ error, failures: memory.failures }, 'a region could not be seen')
  const told = isProviderError(error) ? (error.retryAfter ?? 0) : 0
  return again(millis(Math.max(told, backoff(context.world, retries, memory.failures))), 'it could not be seen')
}

/** Hears what has changed. After a stream was opened anew, a list shows what may have been missed. */
async function listen({ region, context, memory, provider }: Pass, atMost: Duration): Promise<void> {
  const { stream } = memory
  const opened = await context.outside(calls.watch, signal => stream.open(provider, signal))
  if (opened === 'opened') memory.listNow()
  const patience = memory.hasUnwritten ? millis(Math.min(atMost, soon)) : atMost
  const newest = memory.newest(await stream.take(opened === 'opened' ? millis(0) : patience, context.leaving))
  const found = [...newest.values()].flatMap(news => hear(news, { region, context, memory, provider }))
  for (const { server } of await writeSeen(context, found)) memory.keep(newest.get(server.status.backendId!)!)
}

/** After so long news of what was just being written are looked at again. */
const soon = millis(50)

function hear(news: News, { region, context, memory, provider }: Pass): SeenServer[] {
  const { id, server: info } = news
  const { cache, world } = context
  const relabels = canRelabel(provider.capabilities())
  if (!info || !isThere(info)) {
    memory.settled(id)
    const [known] = cache.list({ kind: servers, index: { name: serversByBackend.name, key: id } }).items
    if (!known || known.spec.region !== region.id) return []
    // Not believed on the word of a stream alone: the next lists show whether it is gone.
    if (known.deletedAt === undefined && !known.status.lost && !memory.missing.has(known.id))
      memory.missing.set(known.id, world.monotonic())
    return gone(known)
  }
  const place = placeOf(info, region.id, findingIn(cache))
  // Its launch is being written down, perhaps with an older picture than this.
  if (place.type === 'launching') memory.keep(news)
  else memory.settled(id)
  if (place.type !== 'server') return []
  // A stream tells each after the one before: no picture of it is older than what was written.
  const status = seen(place.server, { info, relabels })
  return status ? [{ server: place.server, status }] : []
}

async function takeCensus(
  { context, memory, provider }: Pass,
  tags: Readonly<Record<string, string>>,
): Promise<Census> {
  const { list } = provider.capabilities().consistency
  const began = context.world.monotonic()
  const shows = memory.readsNow(context.cache.revision, list)
  const infos = await context.outside(calls.list, signal => listAll(provider.list({ tags }, { signal })))
  memory.listed()
  return { infos, began, shows }
}

async function digest({ region, context, memory, provider }: Pass, census: Census): Promise<void> {
  const capabilities = provider.capabilities()
  const look = () => survey(census, { region: region.id, cache: context.cache, capabilities, memory })
  let found = look()
  if (found.strangers.length > 0) {
    // A server is written before it is launched. Once this node reads all that was written by now, who is still a stranger is one.
    await context.commit(changeSet(context.world))
    found = look()
  }
  memory.meet(found.strangers, census.began)
  memory.learned(found.seen.length + found.doubted > 0)
  await writeSeen(context, found.seen)
  // In maintenance things come and go: what is missing then is looked for when it is over.
  if (region.spec.mode !== 'maintenance') await watchOver({ region, context, provider, memory }, found)
}
