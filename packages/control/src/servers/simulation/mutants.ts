import type { FaultMix } from '@stead/engine/simulation'
import type { Provider } from '@stead/provider-kit'
import { millis, seconds } from '@stead/world'
import { type Around, type Sky, simulatedRegion } from '../../simulation/index.ts'
import { decideServer } from '../decide.ts'
import { terminate } from '../ending.ts'
import { intendLaunch, launch } from '../launching.ts'
import type { Server } from '../model.ts'
import type { Bugs, ServersOutcome } from './run.ts'
import type { ScenarioName } from './scenarios.ts'

/** Servers with one deliberate bug. A simulation that does not notice is too weak. */
export interface Mutant {
  readonly name: string
  readonly bugs: Bugs
  /** What notices it. A bug shows in more than one way, but not in any way. */
  readonly caughtBy: readonly NonNullable<ServersOutcome['violation']>['invariant'][]
  readonly sky?: Sky
  /** Faults that bring it out sooner. */
  readonly emphasis?: FaultMix
  /** Shows in a scenario without faults, sooner than by chance. */
  readonly scenario?: ScenarioName
  /** Shows only where there is something that nobody here ever had. */
  readonly stray?: boolean
}

const one = 'I1 one live backend object per server'
const early = 'nothing is forgotten before it is gone'
export const unanswered = { 'cloud-lostReply': 0.3, 'cloud-lateEffect': 0.2 }
const searching: Sky = { profile: { idempotency: 'search' } }

const sentAs = (server: Server): Server => ({
  ...server,
  status: {
    ...server.status,
    launch: 'sent',
    applied: { launch: server.spec.launch.sealed, power: server.spec.power, restart: 0, rebuild: 0 },
  },
})

/** A backend that claims to show nothing but the present. */
const withoutDelay = (provider: Provider): Provider =>
  new Proxy(provider, {
    get(target, member) {
      const consistency = { describe: millis(0), list: millis(0) }
      if (member === 'capabilities') return () => ({ ...target.capabilities(), consistency })
      const value: unknown = Reflect.get(target, member)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

/** A store that takes everybody for given up. */
export const everybodyGivenUp = (around: Around): Around => ({
  ...around,
  store: new Proxy(around.store, {
    get(target, member) {
      if (member === 'records') return async () => [{ body: { region: simulatedRegion, attempts: 1 } }]
      const value: unknown = Reflect.get(target, member)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }),
})

let launches = 0

/** Launches as if no launch before had ever been sent. */
export const launchAnew: typeof launch = (reach, server, options) =>
  launch(reach, { ...server, status: { ...server.status, attempt: ++launches } }, options)

export const mutants: readonly Mutant[] = [
  {
    name: 'each launch has a token of its own',
    bugs: {
      servers: { launch: launchAnew },
    },
    emphasis: unanswered,
    caughtBy: [one],
  },
  {
    name: 'launched before that is written down',
    bugs: {
      servers: {
        async intendLaunch(reach, server) {
          await launch(reach, sentAs(server), { fresh: true })
          await intendLaunch(reach, reach.context.cache.get<Server>('server', server.id) ?? server)
        },
      },
    },
    caughtBy: ['nothing is launched unannounced'],
  },
  {
    name: 'every launch is said to be the first',
    bugs: { servers: { launch: (reach, server) => launch(reach, server, { fresh: true }) } },
    sky: searching,
    emphasis: unanswered,
    caughtBy: [one],
  },
  {
    name: 'not found is gone, however old the picture',
    bugs: {
      servers: {
        terminate: (reach, server) => terminate({ ...reach, provider: withoutDelay(reach.provider) }, server),
      },
    },
    sky: { profile: { consistency: { describe: seconds(4), list: seconds(2) } } },
    scenario: 'create and delete at once',
    caughtBy: [early],
  },
  {
    name: 'what was sent is forgotten when its id is not known',
    bugs: {
      servers: {
        decide(view) {
          const action = decideServer(view)
          return action.type === 'find' && view.server.deletedAt !== undefined ? { type: 'forget' } : action
        },
      },
    },
    emphasis: unanswered,
    caughtBy: [early, 'nothing is launched unannounced'],
  },
  {
    name: 'begun anew without looking for what was made',
    bugs: { servers: { find: async () => 'nothing' } },
    emphasis: unanswered,
    caughtBy: [one, early, 'nothing is launched unannounced'],
  },
  {
    name: 'orphans are removed without a tombstone',
    bugs: { around: everybodyGivenUp },
    scenario: 'create',
    stray: true,
    caughtBy: ['nothing ends that nobody asked to end'],
  },
]
