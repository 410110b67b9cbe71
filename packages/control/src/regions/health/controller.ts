import { again, type Controller, changeSet, controller, done, type ReconcileContext } from '@stead/engine'
import { isProviderError } from '@stead/provider-kit'
import { seconds } from '@stead/world'
import { appendEvent } from '../../events/model.ts'
import { answerLimit, type RegionCatalogs } from '../catalog/catalogs.ts'
import { Region, type RegionStatus } from '../model.ts'
import { type Check, decideHealth } from './decide.ts'
import { codeOf } from './reason.ts'

/** A little longer than the call itself may take: whose deadline it was should be clear. */
const deadline = seconds(answerLimit / 1_000 + 2)

/** Asks the backend of every region again and again, and writes down when its health changes. */
export function healthController(catalogs: RegionCatalogs): Controller {
  /** How often in a row, by region. Of this node: whoever takes a region over counts anew. */
  const failures = new Map<string, number>()
  return controller<Region>({
    name: 'region-health',
    kind: Region.kind,
    parkedCondition: 'HealthParked',
    async reconcile(asked, context) {
      if (asked.deletedAt !== undefined) return done
      const { cache, world, log } = context
      const { id } = asked
      const looked = await look(asked, context, catalogs)
      const region = cache.get(Region.kind, id)
      // What it was asked with is not what it is now: the change has woken this key again.
      if (!looked || region?.generation !== asked.generation) return done
      const { check, error } = looked
      const count = check.type === 'answered' ? 0 : (failures.get(id) ?? 0) + 1
      failures.set(id, count)
      const view = { status: region.status, check, failures: count, now: world.now(), random: world.random() }
      const { status, turned, after } = decideHealth(view)
      if (check.type === 'failed') {
        // Once when it begins and once when it counts: a backend that is away for a day is no news each minute.
        const level = count === 1 || turned ? 'warn' : 'debug'
        log[level]({ error, code: check.code, region: region.name }, 'the backend of a region could not be asked')
      }
      if (status) await write(region, { status, turned }, context)
      return again(after, 'asks its backend again')
    },
    forgotten({ id }) {
      failures.delete(id)
    },
  })
}

interface Looked {
  readonly check: Check
  /** For the log. */
  readonly error?: unknown
}

/** Nothing is known when this node stops before there is an answer. */
async function look(region: Region, context: ReconcileContext, catalogs: RegionCatalogs): Promise<Looked | undefined> {
  const { outside, signal } = context
  try {
    const call = { name: 'region-check', mutates: false, deadline }
    const { capabilities } = await outside(call, () => catalogs.ask(region))
    return { check: { type: 'answered', capabilities } }
  } catch (error) {
    signal.throwIfAborted()
    if (catalogs.isClosed) return undefined
    const retryAfter = isProviderError(error) ? error.retryAfter : undefined
    return { check: { type: 'failed', code: codeOf(error), retryAfter }, error }
  }
}

function write(
  region: Region,
  { status, turned }: { readonly status: RegionStatus; readonly turned: boolean },
  { world, commit }: ReconcileContext,
): Promise<unknown> {
  const set = changeSet(world).update(region, { status })
  const isHealthy = status.health === 'healthy'
  if (turned)
    appendEvent(set, region, {
      level: isHealthy ? 'info' : 'warning',
      reason: isHealthy ? 'Healthy' : 'Unhealthy',
      message: isHealthy ? 'the backend answers' : status.reason!,
    })
  return commit(set)
}
