import type { ChangeSetBuilder } from '@stead/engine'
import type { FaultMix } from '@stead/engine/simulation'
import type { MachineLaunch } from '@stead/provider-kit'
import { release } from '../../quotas/charge.ts'
import { slotKeyPrefix } from '../../servers/model.ts'
import type { InstanceParts } from '../controller.ts'
import { type Action, type Decision, decide, type InstanceView } from '../decide.ts'
import { instanceNamePrefix } from '../model.ts'
import { perform } from '../perform.ts'
import type { Bugs, InstancesOutcome } from './run.ts'

/** Instances with one deliberate bug. A simulation that does not notice is too weak. */
export interface Mutant {
  readonly name: string
  readonly bugs: Bugs
  /** What notices it. A bug shows in more than one way, but not in any way. */
  readonly caughtBy: readonly NonNullable<InstancesOutcome['violation']>['invariant'][]
  /** What is still not so when all should have ended, where that is how it shows. */
  readonly missing?: RegExp
  /** Faults that bring it out sooner. */
  readonly emphasis?: FaultMix
  /** Shows only where there is something that nobody here ever had. */
  readonly stray?: boolean
}

export const never = 'everything ends'

const without = (decision: Decision, unwanted: (action: Action) => boolean): Decision => ({
  ...decision,
  actions: decision.actions.filter(action => !unwanted(action)),
})

/** Decides, and then leaves something out. */
const forgetting =
  (unwanted: (action: Action, view: InstanceView) => boolean): InstanceParts['decide'] =>
  view =>
    without(decide(view), action => unwanted(action, view))

/** Writes, and then changes what was written. */
const writing =
  (change: (set: ChangeSetBuilder, performance: Parameters<typeof perform>[0]) => void): InstanceParts['perform'] =>
  async performance => {
    const set = await perform(performance)
    if (set) change(set, performance)
    return set
  }

/** Launches machines that are other than was said. */
const launching =
  (change: (source: MachineLaunch, view: InstanceView) => MachineLaunch): InstanceParts['perform'] =>
  performance =>
    perform({
      ...performance,
      async renderNew(serverId, power) {
        const launch = await performance.renderNew(serverId, power)
        const { source } = launch.spec
        if (source.type !== 'machine') return launch
        return { ...launch, spec: { ...launch.spec, source: change(source, performance.view) } }
      },
    })

const drop = <T>(list: T[], unwanted: (item: T) => boolean): void => {
  list.splice(0, list.length, ...list.filter(item => !unwanted(item)))
}

/** Takes whatever a change costs for agreed to, whoever said so when. */
const agreeing = (view: InstanceView): InstanceView => {
  const { instance, outdated } = view
  if (typeof outdated !== 'object' || instance.deletedAt !== undefined) return view
  const amounts = instance.status.change?.amounts ?? {}
  const change = { generation: instance.generation, effect: outdated.effect, amounts }
  return { ...view, instance: { ...instance, status: { ...instance.status, change } } }
}

const isSlot = ({ key }: { readonly key: string }) => key.startsWith(slotKeyPrefix)

export const mutants: readonly Mutant[] = [
  {
    name: 'a second server is made while the first is being launched',
    bugs: {
      decide(view) {
        const { instance, servers } = view
        const isUnmade = servers.length < 4 && servers.some(({ status }) => status.backendId === undefined)
        if (!isUnmade || instance.deletedAt !== undefined) return decide(view)
        return decide({ ...view, instance: { ...instance, status: { ...instance.status, slots: {} } } })
      },
      perform: writing(set => {
        drop(set.takes, isSlot)
        drop(set.releases, isSlot)
      }),
    },
    caughtBy: ['two slots', never, 'I4 what is deleted leaves nothing behind'],
  },
  {
    name: 'what is charged is given back when the end begins',
    bugs: {
      perform: writing((set, { view, decision, cache }) => {
        const isEnding = view.instance.deletedAt !== undefined && decision.actions.some(({ type }) => type === 'remove')
        if (isEnding) release(set, cache, view.instance)
      }),
    },
    caughtBy: ['charged while it is there'],
  },
  {
    name: 'what was agreed to once is agreed to for ever',
    bugs: { decide: view => decide(agreeing(view)) },
    emphasis: { 'cloud-bootFailure': 0.3 },
    caughtBy: ['nothing is replaced without consent'],
  },
  {
    name: 'the old one goes before there is a new one',
    bugs: {
      decide(view) {
        const { outdated, servers, instance } = view
        const active = servers.find(
          ({ id, deletedAt }) => id === instance.status.slots.active && deletedAt === undefined,
        )
        const isReplaced = typeof outdated === 'object' && outdated.effect === 'replace' && outdated.isChanged
        if (!active || !isReplaced || instance.deletedAt !== undefined) return decide(view)
        return { actions: [{ type: 'remove', server: active }], status: instance.status }
      },
    },
    caughtBy: ['nothing is replaced without consent'],
  },
  {
    name: 'the old one goes before the new one is proven',
    bugs: {
      decide(view) {
        const decision = decide(view)
        const { slots, replacement } = view.instance.status
        const [active, next] = [slots.active, slots.next].map(id => view.servers.find(server => server.id === id))
        const isSoon = replacement?.addresses && next?.deletedAt === undefined && active?.deletedAt === undefined
        if (!active || !next || !isSoon || view.instance.deletedAt !== undefined) return decision
        const { replacement: _, change: _change, ...status } = decision.status
        return {
          actions: [
            { type: 'swap', from: active, to: next },
            { type: 'remove', server: active },
          ],
          status: { ...status, slots: { active: next.id } },
        }
      },
    },
    caughtBy: ['the old one stays until the new one is proven'],
  },
  {
    name: 'what is made anew does not ask for the addresses that are kept',
    bugs: {
      perform: launching(source => {
        const { of } = source.keepAddresses ?? {}
        return of === undefined ? source : { ...source, keepAddresses: { of } }
      }),
    },
    emphasis: { 'cloud-disappear': 0.05 },
    caughtBy: ['kept addresses stay'],
  },
  {
    name: 'a successor is launched with addresses of its own',
    bugs: {
      perform: launching((source, { instance }) => {
        const { keepAddresses: _, ...rest } = source
        return instance.status.slots.active === undefined ? source : rest
      }),
    },
    caughtBy: ['kept addresses stay', never],
    missing: /its key is undefined.*(was tried and given up|has other addresses)/,
  },
  {
    name: 'an instance is forgotten while something is left of it',
    bugs: { decide: view => decide(view.instance.deletedAt === undefined ? view : { ...view, servers: [] }) },
    caughtBy: ['I4 what is deleted leaves nothing behind'],
  },
  {
    name: 'names are not given back',
    bugs: { perform: writing(set => drop(set.releases, ({ key }) => key.startsWith(instanceNamePrefix))) },
    caughtBy: ['I4 what is deleted leaves nothing behind'],
  },
  {
    name: 'a successor that takes over keeps the slot it waited in',
    bugs: { perform: writing(set => drop(set.releases, each => isSlot(each) && each.key.endsWith('/next'))) },
    caughtBy: ['two slots'],
  },
  {
    name: 'a successor is not charged',
    bugs: {
      decide(view) {
        const decision = decide(view)
        const actions = decision.actions.map(action => {
          if (action.type !== 'create') return action
          const { charge: _, ...rest } = action
          return rest
        })
        return { ...decision, actions }
      },
    },
    caughtBy: ['charged while it is there'],
  },
  {
    name: 'a successor is charged twice',
    bugs: {
      decide(view) {
        const decision = decide(view)
        const actions = decision.actions.map(action => {
          if (action.type !== 'create' || !action.charge) return action
          const twice = Object.entries(action.charge).map(([kind, amount]) => [kind, 2 * amount])
          return { ...action, charge: Object.fromEntries(twice) }
        })
        return { ...decision, actions }
      },
    },
    // What is charged twice may not be had at all where there is a limit.
    caughtBy: ['charged for what it is', never],
    missing: /was tried and given up/,
  },
  {
    name: 'what was to be its successor stays charged when an instance goes',
    bugs: {
      perform(performance) {
        const { instance } = performance.view
        const { charged: _, ...status } = instance.status
        const view = { ...performance.view, instance: { ...instance, status } }
        return perform(instance.deletedAt === undefined ? performance : { ...performance, view })
      },
    },
    caughtBy: ['I4 what is deleted leaves nothing behind'],
  },
  {
    name: 'what is adopted is restarted',
    bugs: {
      decide(view) {
        const decision = decide(view)
        const adopted = view.servers.find(({ spec }) => spec.adopted && !spec.restart)
        if (!adopted || decision.actions.length > 0 || view.instance.deletedAt !== undefined) return decision
        return { ...decision, actions: [{ type: 'change', server: adopted, change: { restart: { hard: true } } }] }
      },
    },
    caughtBy: ['what is adopted goes on', never],
  },
  {
    name: 'two are charged for ever',
    bugs: { decide: forgetting(({ type }) => type === 'settleCharge') },
    caughtBy: ['charged for what it is'],
  },
  {
    name: 'the old one stays when the new one has taken over',
    bugs: {
      decide: view => {
        const decision = decide(view)
        const swapped = decision.actions.some(({ type }) => type === 'swap')
        return without(decision, ({ type }) => swapped && type === 'remove')
      },
    },
    caughtBy: ['two slots'],
  },
  {
    name: 'a new version of a secret is noted, and not given to what runs',
    bugs: {
      decide(view) {
        const decision = decide(view)
        const isRotated = (view.secrets?.rotated.length ?? 0) > 0
        const actions = decision.actions.map((action): Action => {
          if (action.type !== 'change' || action.change.follow !== 'launch' || !isRotated) return action
          return { ...action, change: { ...action.change, follow: 'note' } }
        })
        return { ...decision, actions }
      },
    },
    caughtBy: [never],
    missing: /its secret is/,
  },
  {
    name: 'operations never end',
    bugs: { decide: forgetting(({ type }) => type === 'end') },
    caughtBy: [never],
    missing: /its operation is|there is no end of/,
  },
  {
    name: 'a phase is skipped',
    bugs: {
      decide(view) {
        const decision = decide(view)
        const { phase } = decision.status
        if (view.instance.status.phase !== 'pending' || phase !== 'provisioning') return decision
        return { ...decision, status: { ...decision.status, phase: 'starting' } }
      },
    },
    caughtBy: ['phases follow the table'],
  },
  {
    name: 'what died stays dead',
    bugs: {
      decide(view) {
        const decision = decide(view)
        const isAsked = view.instance.status.restart !== undefined
        const actions = decision.actions.flatMap((action): Action[] => {
          if (action.type !== 'change' || isAsked || !action.change.restart) return [action]
          const { restart: _, ...change } = action.change
          return Object.keys(change).length === 0 ? [] : [{ ...action, change }]
        })
        return { ...decision, actions }
      },
    },
    emphasis: { 'cloud-crash': 0.05 },
    caughtBy: [never],
    missing: /its state is halted, and not active/,
  },
]
