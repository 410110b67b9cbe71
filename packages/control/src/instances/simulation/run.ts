import type { Controller } from '@stead/engine'
import { drawMix, type FaultMix, type NodeProgram } from '@stead/engine/simulation'
import { SeededRandom } from '@stead/world'
import type { DoorEngine } from '../../door/engine.ts'
import { imagesByBackend } from '../../images/model.ts'
import { quotaRoutes } from '../../quotas/api.ts'
import type { QuotaVerifier } from '../../quotas/verifier.ts'
import { RegionCatalogs } from '../../regions/catalog/catalogs.ts'
import { serverController } from '../../servers/controller.ts'
import { serverIndexes } from '../../servers/model.ts'
import { regionObserver } from '../../servers/observing/observer.ts'
import { orphanRoutes } from '../../servers/orphans/api.ts'
import { orphansByRegion } from '../../servers/orphans/model.ts'
import { drawSky, type Bugs as ServerBugs } from '../../servers/simulation/run.ts'
import { leaveUnknown } from '../../servers/simulation/strays.ts'
import {
  type Around,
  type Asked,
  type ControlOutcome,
  type ControlStage,
  controlFaults,
  Desk,
  doorEngine,
  type Play,
  runControl,
} from '../../simulation/index.ts'
import type { InstanceRoom } from '../api/room.ts'
import { instanceRoutes } from '../api.ts'
import { type InstanceParts, instanceController } from '../controller.ts'
import { differingInstances, instancesByRegion, instancesByUse } from '../model.ts'
import { endState, isReported, isSettled, missing } from './end-state.ts'
import { farewell } from './farewell.ts'
import { drawPlan, type Plan } from './plan.ts'
import { type Outside, runUsers } from './users.ts'
import { type InstanceInvariant, Watchman } from './watchman.ts'

export type InstancesOutcome = ControlOutcome<InstanceInvariant>
type Options = Parameters<typeof runControl<InstanceInvariant>>[0]

export interface InstancesOptions extends Omit<Options, 'play'> {
  readonly plan: Plan
  readonly bugs?: Bugs
  /** Something with our tags that no server here ever was: it is reported, and stays. */
  readonly stray?: boolean
  /** What is to go wrong in the cloud, and when. */
  readonly prepare?: (cloud: ControlStage['cloud']) => void
}

/** Parts with a bug in them, to see whether it is found. */
export interface Bugs extends Partial<InstanceParts>, ServerBugs {
  /** What the front door has of the engine. */
  readonly door?: (engine: DoorEngine) => DoorEngine
  /** What it takes a request for. */
  readonly asked?: (asked: Asked) => Asked
  readonly observer?: (observer: Controller) => Controller
}

const withBug = <T>(bug: ((part: T) => T) | undefined, part: T): T => bug?.(part) ?? part

/** Runs instances once, with this plan. */
export const runInstances = ({
  plan,
  bugs,
  prepare,
  stray = false,
  ...options
}: InstancesOptions): Promise<InstancesOutcome> =>
  runControl<InstanceInvariant>({
    ...options,
    play(stage) {
      prepare?.(stage.cloud)
      return instancesPlay(stage, { plan, bugs, stray })
    },
  })

/** What controls instances on each node, by what they are found, and where they are asked for. */
export function instanceControl(bugs: Bugs = {}): Pick<Play, 'indexes' | 'controllers'> & Pick<Outside, 'deskOf'> {
  const rooms = new WeakMap<NodeProgram['store'], Omit<InstanceRoom, 'cache'> & Pick<Around, 'node'>>()
  const desks = new WeakMap<NodeProgram, Pick<Desk, 'ask'>>()
  const open = (program: NodeProgram): Pick<Desk, 'ask'> => {
    const { node, ...room } = rooms.get(program.store)!
    const { cache } = program.engine
    const engine = doorEngine(program)
    const desk = new Desk({
      ...{ engine: withBug(bugs.door, engine), world: node.world, sealer: room.sealer },
      routes: [
        ...instanceRoutes({ ...room, cache }),
        ...quotaRoutes({ store: node.store, verifier: noVerifier }),
        ...orphanRoutes(room),
      ],
    })
    const { asked: misread } = bugs
    return misread ? { ask: (asked, signal) => desk.ask(misread(asked), signal) } : desk
  }
  return {
    indexes,
    controllers(around) {
      const catalogs = new RegionCatalogs({ clients: around.clients, world: around.node.world })
      rooms.set(around.node.store, { ...around, catalogs })
      return [
        instanceController({ ...around, catalogs }, bugs),
        serverController(around, bugs.servers),
        withBug(bugs.observer, regionObserver(withBug(bugs.around, around))),
      ]
    },
    deskOf(program) {
      const desk = desks.get(program) ?? open(program)
      desks.set(program, desk)
      return desk
    },
  }
}

const indexes = [
  ...serverIndexes,
  orphansByRegion,
  instancesByRegion,
  instancesByUse,
  differingInstances,
  imagesByBackend,
] as unknown as Play['indexes']

/** Nobody asks for a recount: the watchman recounts after every commit. */
const noVerifier = { verify: () => Promise.reject(new Error('nobody recounts here')) } as unknown as QuotaVerifier

interface Playing extends Pick<InstancesOptions, 'plan'> {
  readonly bugs: Bugs | undefined
  readonly stray: boolean
}

function instancesPlay(stage: ControlStage<InstanceInvariant>, { plan, bugs, stray }: Playing): Play {
  const watchman = new Watchman(stage)
  const until = stray ? leaveUnknown(stage) : 0
  const { deskOf, ...control } = instanceControl(bugs)
  const outside = { ...stage, deskOf, consents: watchman.consents }
  return {
    ...control,
    users: () => runUsers(outside, plan),
    eachSecond: () => watchman.eachSecond(),
    synced: () => watchman.synced(),
    isSettled: () => stage.world.time >= until && isReported(stage, stray) && isSettled(stage, plan),
    missing: () => missing(stage, plan),
    endState: () => endState(stage),
    farewell: farewell(outside),
  }
}

export interface SeedOptions extends Pick<InstancesOptions, 'nodes' | 'print' | 'bugs' | 'stray'> {
  /** Faults to make more likely than the seed says. */
  readonly emphasis?: FaultMix
}

/** What is settled is as every tenant wants it; that the rest is as undisturbed is asked of some: it costs as much again. */
const compareEach = 5

/** Runs instances as this seed says, and compares the end of some with the same plan undisturbed. */
export async function runSeed(seed: number, { emphasis, stray, ...options }: SeedOptions): Promise<InstancesOutcome> {
  const random = new SeededRandom(seed)
  const plan = drawPlan(random.fork('plan'))
  const sky = drawSky(random.fork('sky'))
  const mix = { ...drawMix(controlFaults, random.fork('mix')), ...emphasis }
  // What is left alone is watched for longer than anything goes wrong.
  const outcome = await runInstances({ ...options, seed, plan, sky, ...(stray ? { stray } : { mix }) })
  if (outcome.violation || seed % compareEach !== 0) return outcome
  const undisturbed = await runInstances({ seed: 0, nodes: 1, plan })
  if (undisturbed.violation) return { ...outcome, violation: undisturbed.violation }
  if (outcome.endState === undisturbed.endState) return outcome
  const detail = `it is\n${outcome.endState}\nand undisturbed it would be\n${undisturbed.endState}`
  return { ...outcome, violation: { invariant: 'end equals undisturbed', detail } }
}
