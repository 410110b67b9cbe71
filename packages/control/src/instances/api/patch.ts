import type { Store, View } from '@stead/engine'
import { seconds } from '@stead/world'
import { accepted } from '../../door/replies.ts'
import type { Reply } from '../../door/route.ts'
import { route } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { fail } from '../../errors/index.ts'
import { allocationOf, charge } from '../../quotas/charge.ts'
import type { Amounts } from '../../quotas/kinds.ts'
import { limitsOf } from '../../quotas/limits.ts'
import { blocking, readLevels } from '../../quotas/use.ts'
import { PatchBody } from '../../resource/bodies.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn } from '../../teardown/building.ts'
import { movesGeneration } from '../agreement.ts'
import { chargedMeanwhile } from '../charging.ts'
import { type Effect, effects, Instance } from '../model.ts'
import type { OperationType } from '../operations.ts'
import { covers, type Plan } from '../plan.ts'
import { type Asking, accept, acceptNothing } from './accept.ts'
import { type PreparedChange, prepareChange } from './change.ts'
import { isGivenUp, movedBy, refuseBusy, startsAnew } from './planning.ts'
import { Accepted, type InstanceRoom, type InstanceRoutes, one, theInstance } from './room.ts'

export const Allow = Type.Optional(
  Type.Enum(['rebuild', 'replace'], {
    description: 'What may be destroyed; without it only what destroys nothing is done.',
  }),
)
export type Allow = 'rebuild' | 'replace' | undefined

const Loss = Type.Enum(['disk', 'addresses', 'localState'])

const PlanReply = Type.Object(
  {
    effect: Type.Enum([...effects]),
    changes: Type.Array(
      Type.Object({
        path: Type.String(),
        from: Type.Optional(Type.Unknown()),
        to: Type.Optional(Type.Unknown()),
        effect: Type.Enum([...effects]),
      }),
    ),
    loses: Type.Array(Loss),
    keeps: Type.Array(Loss, { description: 'What would be lost otherwise.' }),
    interrupts: Type.Boolean({ description: 'Whether it does not serve for a while, though it does now.' }),
  },
  { title: 'Plan' },
)

export const patchRoutes: InstanceRoutes = room => [
  route({
    method: 'PATCH',
    path: one,
    summary: 'Change an instance',
    description: [
      'A JSON merge patch. A change that would destroy something is refused with `replacement_required` and its plan,',
      'unless `allow` says that it may. Sent again with `allow`, one that failed is tried anew.',
    ].join(' '),
    scope: 'project',
    permission: 'instances:update',
    target: theInstance,
    query: Type.Object({ allow: Allow }),
    body: PatchBody,
    replies: { 202: Accepted },
    refuses: ['unsupported'],
    examples: { body: { labels: { tier: 'api' } } },
    async handle(request, services) {
      const change = await prepareChange(room, request, services)
      return makeChange(room, services, request, { change, allow: request.query.allow, type: 'update' })
    },
  }),
  route({
    method: 'POST',
    path: `${one}/plan`,
    summary: 'Say what a change would do, and what would be lost by it',
    scope: 'project',
    permission: 'instances:read',
    target: theInstance,
    body: PatchBody,
    replies: { 200: PlanReply },
    refuses: ['unsupported'],
    examples: { body: { spec: { source: { machine: { flavor: 'large' } } } } },
    async handle(request, services) {
      const { plan } = await prepareChange(room, request, services)
      return { status: 200, body: plan }
    },
  }),
]

export interface Making {
  readonly change: PreparedChange
  readonly allow: Allow
  readonly type: 'update' | 'scale'
}

/** Accepts a change that was prepared, if what it destroys may be destroyed. */
export async function makeChange(
  room: InstanceRoom,
  services: Services,
  asking: Asking,
  { change, allow, type }: Making,
): Promise<Reply> {
  const { target } = asking
  const { spec, labels, displayName, seal } = change
  const moved = movedBy(change.plan)
  const isTriedAnew = allow !== undefined && !moved.includes('content') && isGivenUp(target, services)
  const plan = isTriedAnew ? change.planAnew : change.plan
  const moves = isTriedAnew ? (['content', ...moved] as const) : moved
  if (plan.changes.length === 0 && !isTriedAnew)
    // A verb that was said is written down, so that its key means the same when it is sent again.
    return type === 'scale' ? acceptNothing(services, asking, type) : accepted(Instance, target)
  refuseBusy(target, services)
  if (!covers(allow ?? 'restart', plan.effect)) throw replacementRequired(plan)
  if (plan.effect === 'replace' && change.isTooEarly) throw notItsOwnYet()
  const { everything, world } = services
  const amounts = change.amounts ?? target.status.change?.amounts
  if (plan.effect === 'replace' && amounts) await refuseOverQuota(room.store, everything, target, amounts)
  const generation = target.generation + (movesGeneration(target, spec) ? 1 : 0)
  // What is replaced is charged with its successor, which is charged besides until it is alone.
  const due = plan.effect === 'replace' ? undefined : change.amounts
  const agreed =
    plan.effect === 'inPlace'
      ? undefined
      : {
          generation,
          effect: plan.effect,
          amounts: amounts ?? {},
          ...(destroys(plan.effect) && { before: change.before }),
        }
  return accept(services, asking, {
    type: operationOf(plan, type),
    moves,
    ...(moves.includes('content') && { change: agreed }),
    spec,
    labels,
    displayName,
    status: {
      ...(change.values?.surroundings && { surroundings: change.values.surroundings }),
      ...((isTriedAnew || startsAnew(change.plan, target, services)) && { retry: true }),
      ...(due && { due }),
    },
    what:
      plan.changes
        .map(({ path }) => path)
        .slice(0, 10)
        .join(', ') || 'once more',
    besides(set) {
      seal(set)
      buildingOn(set, ...change.attaches)
      if (due)
        charge(set, everything, {
          organization: target.organizationId!,
          project: target.projectId!,
          for: target,
          amounts: chargedNow(due, { target, everything }),
          at: world.now(),
        })
    },
  })
}

function chargedNow(
  due: Amounts,
  { target, everything }: { readonly target: Instance; readonly everything: View },
): Amounts {
  const isMade = target.status.slots.active !== undefined
  return isMade ? chargedMeanwhile(allocationOf(everything, target)?.spec.amounts ?? {}, due) : due
}

const destroys = (effect: Effect): effect is 'rebuild' | 'replace' => effect === 'replace' || effect === 'rebuild'

const operationOf = ({ effect }: Plan, type: 'update' | 'scale'): OperationType => (destroys(effect) ? effect : type)

/** Who said that they are to be kept is not made to lose them by saying the rest too soon. */
const notItsOwnYet = () =>
  fail('not_ready', 'it would lose its addresses, which are to be kept and are not its own yet', {
    retryAfter: seconds(2),
    suggestion: 'repeat it once the instance is ready, or set keepAddresses to false',
  })

function replacementRequired(plan: Plan) {
  const kept = plan.keeps.length > 0 ? `; it keeps: ${plan.keeps.join(', ')}` : ''
  const away = plan.interrupts ? '; it does not serve meanwhile' : ''
  const message = `this is a ${plan.effect}, by which it loses: ${plan.loses.join(', ')}${kept}${away}`
  return fail('replacement_required', message, {
    suggestion: `read the plan, then repeat with allow=${plan.effect}`,
    extensions: { plan },
  })
}

/** The successor is charged by whoever makes it; told here, nobody has to wait to learn that it cannot be. */
async function refuseOverQuota(
  store: Pick<Store, 'counters'>,
  everything: View,
  { organizationId, projectId }: Instance,
  amounts: Amounts,
): Promise<void> {
  const payer = { organization: organizationId!, project: projectId! }
  const [first] = blocking(await readLevels(store, each => limitsOf(everything, each), payer), amounts)
  if (!first) return
  const { level, used, limit, kind, asked } = first
  throw fail(
    'quota_exceeded',
    `the ${level} uses ${used} of ${limit} ${kind}, and ${asked} more are needed while it is replaced`,
    {
      extensions: { kind, level, limit, used, asked },
    },
  )
}
