import {
  type Condition,
  changeSet,
  clearCondition,
  findCondition,
  type ReconcileContext,
  setCondition,
} from '@stead/engine'
import { isProviderError, type Provider } from '@stead/provider-kit'
import { seconds } from '@stead/world'
import { appendEvent } from '../../events/model.ts'
import { Region } from '../../regions/model.ts'
import { massLoss } from '../hold.ts'
import type { Server } from '../model.ts'
import { patched } from '../status.ts'
import { decideLosses } from './losses.ts'
import type { RegionMemory } from './memory.ts'
import type { Survey } from './survey.ts'
import { type SeenServer, writeSeen } from './write.ts'

const describing = { name: 'describe', mutates: false, deadline: seconds(30) } as const

interface Watch {
  readonly region: Region
  readonly context: ReconcileContext
  readonly provider: Provider
  readonly memory: RegionMemory
}

/** Believes that servers are lost, one by one and each after asking for it; or does not, because they are too many. */
export async function watchOver(watch: Watch, { missing, expected }: Survey): Promise<void> {
  const { region, context, memory } = watch
  const condition = findCondition(region.status.conditions, massLoss)
  const accepted = condition?.status === 'false'
  // Time alone brings nobody back: what counted when the guard rose counts as long as it is up.
  const moment = condition?.status === 'true' ? condition.since : context.world.now()
  const recent = memory.losses.count(context.cache, region.id, moment)
  const decision = decideLosses({ missing, expected, recent: accepted ? 0 : recent, accepted })
  if (decision.type === 'guard') return raise(watch, decision)
  // Accepted losses are over when none is left to be found.
  if (condition && !(accepted && decision.type === 'confirm')) await lower(watch)
  if (decision.type !== 'confirm') return
  const lost = await confirm(watch, decision.servers)
  const left = new Set(await writeSeen(context, lost))
  for (const each of lost) if (!left.has(each)) memory.losses.note(each.server.id, each.status.lost!.at)
}

async function confirm({ context, provider, memory }: Watch, doubtful: readonly Server[]): Promise<SeenServer[]> {
  const lost: SeenServer[] = []
  for (const server of doubtful) {
    const reason = await whyGone(context, provider, server.status.backendId!)
    if (reason === undefined) memory.missing.delete(server.id)
    else {
      const status = patched(server.status, { lost: { at: context.world.now(), reason } })
      if (status) lost.push({ server, status })
    }
  }
  return lost
}

/** Undefined when it is there after all. */
async function whyGone(context: ReconcileContext, provider: Provider, id: string): Promise<string | undefined> {
  try {
    const { state } = await context.outside(describing, signal => provider.describe(id, { signal }))
    return state === 'terminated' ? 'it was ended in the region, and not by us' : undefined
  } catch (error) {
    if (isProviderError(error, 'NotFound')) return 'it is not in the region any more'
    throw error
  }
}

async function raise({ region, context }: Watch, { count, expected }: { count: number; expected: number }) {
  if (findCondition(region.status.conditions, massLoss)?.status === 'true') return
  const message = `${count} of ${expected} servers look gone at once: nothing is done here until they are back, or an operator accepts the loss`
  const raised = { type: massLoss, status: 'true', reason: 'TooManyGone', message } as const
  await tell({ region, context }, setCondition(region.status.conditions, raised, context.world.now()), {
    level: 'warning',
    reason: massLoss,
    message,
  })
}

const lower = ({ region, context }: Watch) =>
  tell({ region, context }, clearCondition(region.status.conditions, massLoss), {
    level: 'info',
    reason: 'MassLossOver',
    message: 'no more servers look gone than may be lost at once',
  })

async function tell(
  { region, context }: Pick<Watch, 'region' | 'context'>,
  conditions: readonly Condition[],
  event: Parameters<typeof appendEvent>[2],
): Promise<void> {
  const newest = context.cache.get<Region>(Region.kind, region.id) ?? region
  const set = changeSet(context.world).update(newest, {
    status: { ...newest.status, conditions } as Region['status'],
  })
  appendEvent(set, region, event)
  await context.commit(set)
}
