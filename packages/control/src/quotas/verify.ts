import { createHash } from 'node:crypto'
import { canonicalJson, changeSet, type Engine, type Store } from '@stead/engine'
import { millis, type World } from '@stead/world'
import { appendEvent } from '../events/model.ts'
import { type Allocation, allocations, release } from './charge.ts'
import { counterOf, counterPrefix } from './counters.ts'
import { limitsOf } from './limits.ts'
import { type Drift, isOrphan, limitDrift, Recount, useDrift } from './recount.ts'

export interface VerifyOptions {
  readonly engine: Pick<Engine, 'cache' | 'commit'>
  readonly store: Pick<Store, 'counters'>
  readonly world: World
}

/** A difference counts once it was seen this often in a row. */
const looks = 3

/**
 * Recounts all that is charged and compares it with the counters, while both change. A counter is right if it says what
 * its allocations added up to at any moment while it was read: they change in the same change-set, so at the moment at
 * which it was read they agreed, or there is a difference. What is found is looked at again, because a cache that had to
 * load anew saw only the end of what happened.
 */
export async function findDrift(options: VerifyOptions): Promise<readonly Drift[]> {
  let found = await look(options)
  for (let again = 1; again < looks && found.length > 0; again++) {
    const before = new Set(found.map(canonicalJson))
    found = (await look(options)).filter(drift => before.has(canonicalJson(drift)))
  }
  return found
}

/** Added up between two looks at whatever else there is to do: about a millisecond. */
const slice = 1_000

async function look({ engine, store, world }: VerifyOptions): Promise<readonly Drift[]> {
  const { cache } = engine
  const everything = cache.platform()
  const recount = new Recount()
  const { items } = everything.list({ kind: allocations })
  const stop = cache.onChange(({ changes }) => {
    for (const { op, object, previous } of changes)
      if (object.kind === allocations)
        recount.change(previous as Allocation | undefined, op === 'put' ? (object as Allocation) : undefined)
  })
  try {
    const suspects: Allocation[] = []
    for (const [index, allocation] of items.entries()) {
      recount.add(allocation)
      if (isOrphan(everything, allocation)) suspects.push(allocation)
      if (index % slice === slice - 1) await world.sleep(millis(0))
    }
    recount.forgetEarlier()
    const counters = await store.counters(counterPrefix)
    // The read may have seen more than this node has heard of. What is committed after it is after all that it saw.
    await engine.commit(changeSet(world))
    const orphans = suspects.filter(allocation => isOrphan(everything, allocation)).map(orphanOf)
    return [...useDrift(counters, recount), ...limitDrift(counters, everything), ...orphans]
  } finally {
    stop()
  }
}

const orphanOf = ({ organizationId, spec }: Allocation): Drift => ({
  type: 'orphan',
  organization: organizationId!,
  for: spec.for,
})

/** Tells an organization's events of each difference, once a day at the most however many nodes find it. */
export async function reportDrift({ engine, world }: VerifyOptions, found: readonly Drift[]): Promise<void> {
  for (const drift of found) {
    const name = createHash('sha256').update(canonicalJson(drift)).digest('base64url')
    const { organization: id } = drift
    const set = changeSet(world)
    appendEvent(
      set,
      { kind: 'organization', id, organizationId: id },
      { level: 'warning', reason: 'QuotaDrift', message: describeDrift(drift) },
    )
    // The store keeps the id of a change-set for a day, and applies it once.
    await engine.commit({ ...set, id: `quota-drift/${name}` })
  }
}

/**
 * Sets right what was found: counters to what is allocated, limits to what is set; what is charged for nothing is given
 * back. By differences, so that what happens meanwhile is not undone.
 */
export async function repairDrift(options: VerifyOptions, found: readonly Drift[]): Promise<void> {
  const { engine, world } = options
  const everything = engine.cache.platform()
  for (const drift of found) {
    const set = changeSet(world)
    if (drift.type === 'use') await repairUse(options, drift)
    else if (drift.type === 'limit') await engine.commit(set.limit(counterOf(drift, drift.kind), drift.set))
    else {
      release(set, everything, drift.for)
      await engine.commit(set)
    }
  }
}

/** A counter that is too low may belong above its limit. The limit is lifted just that far, and put back. */
async function repairUse({ engine, world }: VerifyOptions, drift: Extract<Drift, { type: 'use' }>): Promise<void> {
  const { kind, allocated, counted } = drift
  const counter = counterOf(drift, kind)
  const limit = limitsOf(engine.cache.platform(), drift)[kind]
  const isOver = limit !== undefined && allocated > limit
  const set = changeSet(world).move(counter, allocated - counted)
  await engine.commit(isOver ? set.limit(counter, allocated) : set)
  if (isOver) await engine.commit(changeSet(world).limit(counter, limit))
}

export function describeDrift(drift: Drift): string {
  if (drift.type === 'orphan') return `${drift.for.kind} ${drift.for.id} is charged and does not exist`
  const whose = drift.project === undefined ? `organization ${drift.organization}` : `project ${drift.project}`
  return drift.type === 'use'
    ? `${whose} is counted ${drift.counted} ${drift.kind}, and its allocations add up to ${drift.allocated}`
    : `${whose} has a limit of ${drift.set} ${drift.kind}, and ${drift.enforced ?? 'none'} is enforced`
}
