import type { ReconcileContext, Store } from '@stead/engine'
import { after, type Instant, parseDuration } from '@stead/world'
import { markedEvery } from '../marks/last-use.ts'
import { openOperations } from '../operations/lifecycle.ts'
import { Region } from '../regions/model.ts'
import { holdOf } from '../servers/hold.ts'
import { isRefused, servers } from '../servers/model.ts'
import type { InstanceView } from './decide.ts'
import type { Instance } from './model.ts'
import { backendWords } from './references.ts'
import { compare, isFor, type Launch, type Workshop } from './rendering.ts'
import { chooseVersions, outdatedSecrets } from './values/open-secrets.ts'

export interface Gathering extends Workshop {
  readonly store: Pick<Store, 'blob' | 'identity' | 'marks'>
}

/** All that a decision depends on, and what it would launch. */
export interface Gathered {
  readonly view: InstanceView
  readonly region: Region | undefined
  /** What the active server is to be, where that is not what it is. */
  readonly launch: Launch | undefined
}

/** When an instance was last used: told by whoever lets somebody in. A mark, because it happens often and need not last. */
export const useMark = (instanceId: string): string => `instance-used/${instanceId}`

/** Looks at everything there is of an instance. */
export async function gather(
  gathering: Gathering,
  instance: Instance,
  { cache, world, observeOnly }: Pick<ReconcileContext, 'cache' | 'world' | 'observeOnly'>,
): Promise<Gathered> {
  const region = cache.get<Region>(Region.kind, instance.spec.region)
  const owned = cache.list({ kind: servers, owner: { kind: instance.kind, id: instance.id } }).items
  const view: InstanceView = {
    instance,
    servers: owned,
    operations: openOperations(cache, instance),
    region: observeOnly ? 'observing' : region ? openness(region) : 'still',
    now: world.now(),
  }
  const { active: id } = instance.status.slots
  const active = owned.find(server => server.id === id)
  if (instance.deletedAt !== undefined || !region) return { view, region, launch: undefined }
  const request = { instance, region, everything: cache }
  const lastUsed = await lastUse(gathering.store, instance, view.now)
  const secrets = outdatedSecrets({ spec: instance.spec, everything: cache, held: active?.spec.secrets })
  const known = { ...view, ...(lastUsed !== undefined && { lastUsed }), secrets }
  if (active?.deletedAt === undefined && active) {
    const isAsWanted = isFor(active, instance) && !isRefused(active)
    if (isAsWanted && secrets.rotated.length === 0) return { view: known, region, launch: undefined }
    const comparison = await compare(gathering, request, active)
    return comparison.type === 'unknown'
      ? { view: { ...known, outdated: 'unknown', waitsFor: comparison.message }, region, launch: undefined }
      : { view: { ...known, outdated: comparison.outdated }, region, launch: comparison.launch }
  }
  if (active) return { view: known, region, launch: undefined }
  const words = backendWords(instance.spec, { everything: cache, region, catalogs: gathering.catalogs })
  const chosen = chooseVersions({ spec: instance.spec, everything: cache })
  const waitsFor = words.type === 'waiting' ? words.message : 'missing' in chosen ? chosen.missing : undefined
  return {
    view: { ...known, ...(waitsFor !== undefined && { waitsFor }) },
    region,
    launch: undefined,
  }
}

function openness(region: Region): InstanceView['region'] {
  if (holdOf(region)) return 'still'
  return region.spec.mode === 'active' && region.deletedAt === undefined ? 'open' : 'closed'
}

/** Asked for only when it could matter: when it has run for as long as it may be idle. */
async function lastUse(
  store: Pick<Store, 'marks'>,
  { id, spec, status }: Instance,
  now: Instant,
): Promise<Instant | undefined> {
  if (spec.idleStop === undefined || status.runningSince === undefined) return undefined
  if (now - status.runningSince < parseDuration(spec.idleStop)!) return undefined
  const [mark] = await store.marks([useMark(id)])
  // What is used all the time is marked now and then: it may have been used until the next mark would have been due.
  return mark && after(mark.at, markedEvery)
}
