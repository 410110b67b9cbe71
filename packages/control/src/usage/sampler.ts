import {
  again,
  type Controller,
  controller,
  DeadlineError,
  done,
  type ReconcileContext,
  type Store,
} from '@stead/engine'
import { isProviderError, type MetricsSample } from '@stead/provider-kit'
import { type Duration, millis, minutes, seconds } from '@stead/world'
import { instances } from '../instances/model.ts'
import type { RegionClients } from '../regions/clients.ts'
import { Region } from '../regions/model.ts'
import { servers, serversByRegion } from '../servers/model.ts'
import { Meter } from './meter.ts'
import { rollUp } from './roll-up.ts'

export interface SamplerOptions {
  readonly store: Pick<Store, 'series' | 'marks' | 'setMarks'>
  readonly clients: RegionClients
  /** Between two samples of one instance. */
  readonly interval?: Duration
}

/** With more than so many in a region, once a minute has to do. */
const many = 1_000
const pace = (count: number, interval: Duration): Duration =>
  count > many ? millis(Math.max(interval, minutes(1))) : interval

const call = { name: 'metrics', mutates: false, deadline: seconds(30) } as const

/**
 * Measures what runs in each region: one call for all of it, by the one node that has the region. Nothing of it is in the
 * log, and nobody is woken by it.
 */
export function usageSampler({ store, clients, interval = seconds(15) }: SamplerOptions): Controller {
  const meters = new Map<string, Meter>()
  return controller<Region>({
    name: 'usage-sampler',
    kind: Region.kind,
    parkedCondition: 'SamplerParked',
    async reconcile(region, context) {
      if (region.deletedAt !== undefined) return done
      const meter = meters.get(region.id) ?? new Meter()
      meters.set(region.id, meter)
      const { world, cache } = context
      const wait = meter.due - world.monotonic()
      if (wait > 0) return again(millis(wait), 'the next sample')
      const running = runningIn(context, region.id)
      const every = pace(running.size, interval)
      meter.due = world.monotonic() + every
      const samples = running.size === 0 ? new Map() : await sample(clients, region, [...running.keys()], context)
      // A region that measures nothing is asked again when something of it changes.
      if (!samples) return done
      meter.take(running, samples, { now: world.now(), every })
      meter.keepOnly(id => cache.get(instances, id) !== undefined)
      await meter.flush(store.series, { now: world.now(), isBusy: running.size > many })
      await rollUp(store, { region: region.id, done: meter.rolledUp }, context)
      return again(every, 'the next sample')
    },
    forgotten: ({ id }) => void meters.delete(id),
  })
}

/** What runs, by its id at the backend: the instance it is. */
function runningIn({ cache }: ReconcileContext, region: string): ReadonlyMap<string, string> {
  const index = { name: serversByRegion.name, key: region }
  const running = cache.list({ kind: servers, index }).items.flatMap(({ id, owner, status }) => {
    const { backendId, observed, lost } = status
    if (backendId === undefined || lost || observed?.state !== 'running') return []
    const instance = cache.get(instances, owner?.id ?? '')
    return instance?.status.slots.active === id ? [[backendId, instance.id] as const] : []
  })
  return new Map(running)
}

/** A sample of each; none where the backend does not answer, and undefined where it cannot measure. */
async function sample(
  clients: RegionClients,
  region: Region,
  ids: readonly string[],
  context: ReconcileContext,
): Promise<ReadonlyMap<string, MetricsSample> | undefined> {
  try {
    return await context.outside(call, async signal => {
      const provider = await clients.of(region)
      if (!provider.capabilities().groups.metrics) return undefined
      return provider.metrics!(ids, { signal })
    })
  } catch (error) {
    if (context.signal.aborted || !(isProviderError(error) || error instanceof DeadlineError)) throw error
    context.log.debug({ error }, 'a region could not be measured')
    return new Map()
  }
}
