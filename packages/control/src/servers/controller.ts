import {
  again,
  type Controller,
  controller,
  done,
  park,
  type ReconcileContext,
  type Result,
  type Wake,
} from '@stead/engine'
import { seconds } from '@stead/world'
import { Region } from '../regions/model.ts'
import { adopt } from './adopting.ts'
import { change, note, reboot, start, stop } from './changing.ts'
import { decideServer, type ServerAction } from './decide.ts'
import { forget, terminate } from './ending.ts'
import { explain, failureAfter, isWorthTelling, Patience, type Stage } from './failure.ts'
import { holdOf } from './hold.ts'
import { beginAnew, find, intendLaunch, launch } from './launching.ts'
import { isRefused, type Refusal, type Server, servers, serversByRegion } from './model.ts'
import { type Reach, reachRegion, type ServerSurroundings, settleTime } from './reach.ts'
import { writeIntent, writeOutcome } from './status.ts'

/** A launch takes longer than anything the store does, and each mostly waits: the backend says when it is too much. */
const concurrency = 256
/** A stop that did not take is asked for again: the backend tells nothing that would wake anybody. */
const stopOnceMore = again(seconds(5), 'the stop did not take')

/** What it decides by and acts with. Others are put in its place to see whether their bugs are found. */
const parts = {
  decide: decideServer,
  ...{ intendLaunch, launch, find, beginAnew, adopt, terminate, forget, change, note, start, stop, reboot },
}
export type ServerParts = typeof parts

/** Makes each server true at its backend, once, whatever happens on the way; and ends it there before it is forgotten. */
export function serverController(surroundings: ServerSurroundings, others: Partial<ServerParts> = {}): Controller {
  const own = { ...parts, ...others }
  const patience = new Patience()
  return controller<Server>({
    name: 'servers',
    kind: servers,
    concurrency,
    wakes: [regionWake],
    async reconcile(server, context) {
      const region = context.cache.get<Region>(Region.kind, server.spec.region)
      if (!region) return park('RegionGone', 'its region is gone')
      if (holdOf(region)) return done
      if (context.observeOnly) return observeOnly(server)
      let stage: Stage = 'connect'
      try {
        const reach = await reachRegion(context, surroundings, region)
        stage = 'act'
        const action = own.decide({
          ...{ server, groups: reach.provider.capabilities().groups, remembers: reach.remembers(server) },
          ...{ lateness: settleTime(reach), now: context.world.now() },
        })
        if (action.type === 'intend-launch' || action.type === 'launch') stage = 'launch'
        if (action.type === 'adopt') stage = 'adopt'
        const result = await perform(action, { reach, server, own })
        patience.forget(server.id)
        return result
      } catch (error) {
        return fail(error, { server, context, stage, patience })
      }
    },
    forgotten: ({ id }) => patience.forget(id),
  })
}

/** A region that is changed may let in what it did not before. Its health, which changes often, wakes nobody. */
const regionWake: Wake = {
  kind: Region.kind,
  keys({ object, previous }, { cache }) {
    const [now, before] = [object as Region, previous as Region | undefined]
    if (before && now.generation === before.generation && holdOf(now) === holdOf(before)) return []
    return cache.list({ kind: servers, index: { name: serversByRegion.name, key: now.id } }).items.map(({ id }) => id)
  },
}

/** Nothing is sent and nothing forgotten while the store only observes: what it does not know may have happened. */
const observeOnly = ({ spec, status, deletedAt }: Server): Result =>
  deletedAt === undefined && !status.adopting && status.backendId !== undefined && spec.power === status.applied?.power
    ? done
    : park('ObserveOnly', 'this store only observes until it is resumed')

interface Pass {
  readonly reach: Reach
  readonly server: Server
  readonly own: ServerParts
}

async function perform(action: ServerAction, { reach, server, own }: Pass): Promise<Result> {
  const { context } = reach
  const newest = () => context.cache.get(servers, server.id) ?? server
  switch (action.type) {
    case 'rest':
      await settle(context, server)
      return done
    case 'intend-launch':
      await own.intendLaunch(reach, server)
      await own.launch(reach, newest(), { fresh: true })
      return done
    case 'launch':
      await own.launch(reach, server, { fresh: false })
      return done
    case 'find':
      if ((await own.find(reach, server)) === 'nothing')
        await (server.deletedAt === undefined ? own.beginAnew(reach, server) : own.forget(reach, server))
      return done
    case 'adopt':
      await own.adopt(reach, server)
      return done
    case 'terminate':
      return (await own.terminate(reach, server)) ?? done
    case 'forget':
      await own.forget(reach, server)
      return done
    case 'intend-change':
      await writeIntent(context, server, { applying: action.target, refused: undefined })
      return finishChange({ reach, server: newest(), own }, true)
    case 'change':
      return finishChange({ reach, server, own }, false)
    case 'note':
      await own.note(reach, server, action)
      return done
    case 'start':
      await writeIntent(context, server, { powering: 'on' })
      await own.start(reach, newest())
      return done
    case 'stop':
      await writeIntent(context, server, { powering: 'off' })
      return (await own.stop(reach, newest(), action)) ? done : stopOnceMore
    case 'reboot':
      await own.reboot(reach, server, action)
      return done
    case 'wait':
      return again(action.length, 'an earlier change may still arrive')
    case 'refuse': {
      const told = { code: 'Unsupported', message: action.message, retrying: false, retryAfter: undefined } as const
      await writeOutcome(context, server, { failure: failureAfter(server.status.failure, told, context.world.now()) })
      return done
    }
  }
}

async function finishChange({ reach, server, own }: Pass, fresh: boolean): Promise<Result> {
  const target = server.status.applying!
  const changed = await own.change(reach, server, target, { fresh })
  if (changed === 'ignored') return stopOnceMore
  if (typeof changed === 'string') return done
  const message = `this cannot be changed in place in its region: ${changed.impossible.join(', ') || 'the disk'}`
  await refuseChange(reach.context, server, { code: 'Unsupported', message })
  return done
}

/** It stays as it was, and goes on as that: what was stopped for the change is started again. */
async function refuseChange(
  context: ReconcileContext,
  server: Server,
  { code, message }: Pick<Refusal, 'code' | 'message'>,
): Promise<void> {
  const { applying: target, applied } = (context.cache.get(servers, server.id) ?? server).status
  if (!target) return
  const refused = { ...target, code, message, since: context.world.now() }
  // Its number is used up: what is wanted next must not bring a new disk that nobody asked for then.
  const over = { applied: { ...applied!, rebuild: target.rebuild } }
  await writeOutcome(context, server, { refused, ...over, applying: undefined, failure: undefined })
}

/** Nothing is left to do: what nobody tries to get over any more is over, unless it is why nothing is done. */
async function settle(context: ReconcileContext, server: Server): Promise<void> {
  const { failure, refused, backendId, adopting } = server.status
  const stands = failure && (backendId === undefined || adopting) && !failure.retrying
  await writeOutcome(context, server, {
    failure: stands ? failure : undefined,
    refused: isRefused(server) ? refused : undefined,
  })
}

interface Failed {
  readonly server: Server
  readonly context: ReconcileContext
  readonly stage: Stage
  readonly patience: Patience
}

async function fail(error: unknown, { server, context, stage, patience }: Failed): Promise<Result> {
  const explained = explain(error, stage)
  if (!explained || context.signal.aborted) throw error
  const { code, message, retrying } = explained
  const failures = patience.fail(server.id)
  context.log.warn({ error, stage, failures }, 'the backend did not do what a server needs')
  const { applying, failure } = (context.cache.get(servers, server.id) ?? server).status
  if (!retrying && applying) {
    await refuseChange(context, server, explained)
    return done
  }
  if (isWorthTelling(code, failures))
    await writeOutcome(context, server, { failure: failureAfter(failure, explained, context.world.now()) })
  return retrying ? again(patience.pause(context.world, explained, failures), code) : park(code, message)
}
