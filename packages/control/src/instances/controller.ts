import {
  again,
  ConflictError,
  type Controller,
  controller,
  done,
  owned,
  type ReconcileContext,
  type Result,
  type StoredObject,
  type View,
  type Wake,
} from '@stead/engine'
import { seconds } from '@stead/world'
import { Network } from '../networks/model.ts'
import { quotaConflict } from '../quotas/conflict.ts'
import type { Realised } from '../realised/model.ts'
import { Region } from '../regions/model.ts'
import { newestOf, Secret } from '../secrets/model.ts'
import { SecurityGroup } from '../security-groups/model.ts'
import { holdOf } from '../servers/hold.ts'
import { servers } from '../servers/model.ts'
import { type Decision, decide } from './decide.ts'
import { type Gathered, type Gathering, gather } from './gather.ts'
import { type Instance, instances, instancesByRegion, instancesByUse } from './model.ts'
import { perform } from './perform.ts'
import { render } from './rendering.ts'

/** Most of a pass is a commit, and those share one sync: the more there are at once, the better. */
const concurrency = 256

/** What the controller is made of. A simulation exchanges some of it, to see whether that is noticed. */
export interface InstanceParts {
  readonly decide: typeof decide
  readonly perform: typeof perform
}

/** Makes instances true: by servers, which are made true by their own controller. Nothing outside is touched here. */
export function instanceController(around: Gathering, parts: Partial<InstanceParts> = {}): Controller {
  const gathering = { ...around, parts: { decide, perform, ...parts } }
  return controller<Instance>({
    name: 'instances',
    kind: instances,
    concurrency,
    looksAgain: true,
    wakes: [owned(servers), regionWake, secretWake, attachmentWake(Network.kind), attachmentWake(SecurityGroup.kind)],
    async reconcile({ id }, context) {
      for (;;) {
        const result = await step(gathering, id, context)
        if (result) return result
      }
    },
  })
}

interface Equipped extends Gathering {
  readonly parts: InstanceParts
}

/** A region that opens or closes matters to what is in it. Its health, which changes often, does not. */
const regionWake: Wake = {
  kind: Region.kind,
  keys({ object, previous }, { cache }) {
    const [now, before] = [object as Region, previous as Region | undefined]
    if (before && now.spec.mode === before.spec.mode && holdOf(now) === holdOf(before)) return []
    return cache
      .list({ kind: instances, index: { name: instancesByRegion.name, key: now.id } })
      .items.map(({ id }) => id)
  },
}

/** A new version of a secret matters to whatever uses it. */
const secretWake: Wake = {
  kind: Secret.kind,
  keys({ object, previous }, { cache }) {
    const [now, before] = [object as Secret, previous as Secret | undefined]
    if (before && newestOf(now).version === newestOf(before).version) return []
    return usersOf(now, cache)
  },
}

/** What it is attached to has come up: whatever waits for that can begin. */
const attachmentWake = (kind: string): Wake => ({
  kind,
  keys({ object, previous }, { cache }) {
    const [now, before] = [object as Realised, previous as Realised | undefined]
    if (before?.status.state === now.status.state || now.status.state !== 'ready') return []
    return usersOf(now, cache)
  },
})

/** The instances that use something. */
const usersOf = ({ id }: StoredObject, cache: View): readonly string[] =>
  cache.list({ kind: instances, index: { name: instancesByUse.name, key: id } }).items.map(user => user.id)

/** How often a store that only observes looks whether it still does. */
const observing = seconds(30)

/** One change-set on the way; undefined when there may be more to do at once. */
async function step(gathering: Equipped, id: string, context: ReconcileContext): Promise<Result | undefined> {
  const { cache, observeOnly } = context
  const instance = cache.get(instances, id)
  if (!instance) return done
  const gathered = await gather(gathering, instance, context)
  const decision = gathering.parts.decide(gathered.view)
  const isWritten = await write(gathering, gathered, decision, context)
  if (isWritten) return undefined
  if (observeOnly) return again(observing, 'this store only observes')
  return decision.again ? again(decision.again.after, decision.again.reason) : done
}

/** Answers whether there was anything to write. */
async function write(
  gathering: Equipped,
  { view, region, launch }: Gathered,
  decision: Decision,
  context: ReconcileContext,
): Promise<boolean> {
  const { cache, world } = context
  const renderNew = async (serverId: string, power: 'on' | 'off') => {
    const rendered = await render(gathering, {
      instance: view.instance,
      region: region!,
      everything: cache,
      serverId,
      power,
    })
    if (rendered.type === 'waiting') throw new Error(rendered.message)
    return rendered.launch
  }
  const { sealer, parts, store } = gathering
  const { epoch } = store.identity
  const set = await parts.perform({ view, decision, cache, world, sealer, epoch, launch, renderNew })
  if (!set) return false
  try {
    await context.commit(set)
  } catch (error) {
    const refusal = chargesMore(decision) && error instanceof ConflictError ? overQuota(error) : undefined
    if (refusal === undefined || view.overQuota !== undefined) throw error
    const refused = { ...view, overQuota: refusal }
    return write(gathering, { view: refused, region, launch }, parts.decide(refused), context)
  }
  return true
}

/** Whether more is charged: a second server, besides the first, or what is made anew as something else than it was. */
const chargesMore = ({ actions }: Decision): boolean =>
  actions.some(({ type, ...action }) => type === 'recharge' || (type === 'create' && 'charge' in action))

const overQuota = ({ conflict }: ConflictError): string | undefined =>
  quotaConflict(conflict, undefined as never)?.message
