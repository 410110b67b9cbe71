import { changeSet, type Metrics, type ObjectDraft, type ReconcileContext, type Store } from '@stead/engine'
import { ownTags, type Provider } from '@stead/provider-kit'
import { millis, newId, seconds } from '@stead/world'
import { appendEvent } from '../../events/model.ts'
import { Region } from '../../regions/model.ts'
import { isMeant, type Tombstone, tombstones } from '../ending.ts'
import { holdOf } from '../hold.ts'
import type { RegionMemory } from '../observing/memory.ts'
import { decideOrphans, isOld, type OrphanDecision, type Stranger } from './decide.ts'
import { Orphan, type OrphanSpec, type OrphanStatus, orphansByRegion } from './model.ts'

const terminating = { name: 'terminate', mutates: true, deadline: seconds(30) } as const

export interface Sweep {
  readonly region: Region
  readonly context: ReconcileContext
  readonly provider: Provider
  readonly memory: RegionMemory
  readonly store: Pick<Store, 'records'>
  readonly metrics: SweepMetrics
}

export type SweepMetrics = ReturnType<typeof sweepMetrics>

export const sweepMetrics = (metrics: Metrics) => ({
  unmapped: metrics.counter(
    'stead_backend_unmapped',
    'Backend objects with our tags that map to no server, or to one that has another',
    ['reason'],
  ),
  removed: metrics.counter('stead_orphans_removed', 'Orphans that were removed'),
})

/** Reports what is nobody's, and removes of it what surely was to be gone, or what an operator has said is to go. */
export async function sweep(sweeping: Sweep): Promise<void> {
  const { region, context, memory } = sweeping
  const reported = context.cache.list({
    kind: Orphan.kind,
    index: { name: orphansByRegion.name, key: region.id },
  }).items
  const strangers = strangersIn(memory)
  if (strangers.length === 0 && reported.length === 0) return
  const decision = decideOrphans({ strangers, reported, givenUp: await givenUp(sweeping, strangers) })
  // As it is now: the same list may have raised the guard a moment ago.
  const newest = context.cache.get<Region>(Region.kind, region.id) ?? region
  const mayAct = !holdOf(newest) && !context.observeOnly
  const removed = mayAct ? decision.remove : []
  await report(sweeping, { ...decision, remove: removed }, reported)
  for (const stranger of removed) await remove(sweeping, stranger)
}

const strangersIn = ({ strangers }: RegionMemory): readonly Stranger[] =>
  [...strangers.values()].map(({ info, reason, since, at }) => ({
    backendId: info.id,
    serverId: info.tags[ownTags.serverId],
    instanceId: info.tags[ownTags.instanceId],
    projectId: info.tags[ownTags.projectId],
    reason,
    state: info.state,
    launchedAt: info.launchedAt,
    seenFor: millis(at - since),
  }))

/** Read from the store itself: no view that is old can be wrong about it. */
async function givenUp({ store, region }: Sweep, strangers: readonly Stranger[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { serverId, backendId } of strangers.filter(isOld)) {
    if (serverId === undefined) continue
    const [record] = await store.records({ ...tombstones, subject: serverId, limit: 1 })
    if (record && isMeant(record.body as Tombstone, { region: region.id, backendId })) found.add(backendId)
  }
  return found
}

async function report(
  { region, context, memory, metrics }: Sweep,
  { report, forget, remove, overCap }: OrphanDecision,
  reported: readonly Orphan[],
): Promise<void> {
  const { world } = context
  const set = changeSet(world)
  for (const stranger of report) {
    const made = { id: newId(world, 'orp'), createdAt: world.now() }
    set.create(orphanOf(stranger, region, { ...made, isSwept: remove.includes(stranger) }))
    const whose = stranger.serverId === undefined ? 'no server' : `server ${stranger.serverId}`
    const why = stranger.reason === 'unknown' ? 'is not known here' : 'has another'
    const message = `${stranger.backendId} carries our tags and is of ${whose}, which ${why}: it waits for an operator`
    appendEvent(set, region, { level: 'warning', reason: 'OrphanFound', message })
  }
  for (const orphan of forget) set.remove(orphan)
  // Written before it is ended: who wants to keep it comes too late from here on, and is told so.
  const swept = new Set(remove.map(({ backendId }) => backendId))
  for (const orphan of reported)
    if (swept.has(orphan.spec.backendId) && !orphan.spec.reap)
      set.update(orphan, { spec: { ...orphan.spec, reap: bySweep } })
  if (overCap > 0 && overCap !== memory.overCap)
    appendEvent(set, region, {
      level: 'warning',
      reason: 'TooManyOrphans',
      message: `${overCap} orphans would be removed at once: none is, until an operator says so`,
    })
  if (set.puts.length + set.removes.length + set.records.length > 0) await context.commit(set)
  memory.overCap = overCap
  for (const { reason } of report) metrics.unmapped.with({ reason }).add()
}

const bySweep = { by: 'sweep' } as const

const orphanOf = (
  { backendId, serverId, instanceId, projectId, reason, state, launchedAt }: Stranger,
  region: Region,
  { isSwept, ...made }: Pick<Orphan, 'id' | 'createdAt'> & { readonly isSwept: boolean },
): ObjectDraft<OrphanSpec, OrphanStatus> => ({
  kind: Orphan.kind,
  ...made,
  labels: {},
  finalizers: [],
  owner: { kind: region.kind, id: region.id },
  spec: {
    region: region.id,
    backendId,
    reason,
    ...(serverId !== undefined && { serverId }),
    ...(instanceId !== undefined && { instanceId }),
    ...(projectId !== undefined && { projectId }),
    ...(isSwept && { reap: bySweep }),
  },
  status: { state, ...(launchedAt !== undefined && { launchedAt }) },
})

async function remove({ region, context, provider, metrics }: Sweep, { backendId, serverId }: Stranger): Promise<void> {
  await context.outside(terminating, signal => provider.terminate(backendId, { signal }))
  const set = changeSet(context.world)
  const message = `${backendId} of server ${serverId ?? 'unknown'} was removed`
  appendEvent(set, region, { reason: 'OrphanRemoved', message })
  await context.commit(set)
  metrics.removed.add()
}
