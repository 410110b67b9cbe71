import { drawMix, type FaultMix } from '@stead/engine/simulation'
import type { IdempotencyMode } from '@stead/provider-kit'
import { millis, SeededRandom, seconds } from '@stead/world'
import {
  type Around,
  type ControlOutcome,
  type ControlStage,
  controlFaults,
  type Play,
  runControl,
  type Sky,
} from '../../simulation/index.ts'
import { type ServerParts, serverController } from '../controller.ts'
import { serverIndexes } from '../model.ts'
import { regionObserver } from '../observing/observer.ts'
import { orphansByRegion } from '../orphans/model.ts'
import { boxController } from './boxes.ts'
import { endState, isSettled } from './end-state.ts'
import { drawPlan, type Plan } from './plan.ts'
import { leaveUnknown, strayId } from './strays.ts'
import { runUsers } from './users.ts'
import { type ServerInvariant, Watchman } from './watchman.ts'

export type ServersOutcome = ControlOutcome<ServerInvariant>
type Options = Parameters<typeof runControl<ServerInvariant>>[0]

/** What can be exchanged for something with a bug in it, to see whether it is found. */
export interface Bugs {
  readonly servers?: Partial<ServerParts>
  readonly around?: (around: Around) => Around
}

export interface ServersOptions extends Omit<Options, 'play'> {
  readonly plan: Plan
  readonly bugs?: Bugs
  /** Something with our tags that no server here ever was: what a store finds that forgot it. It stays unless it is reaped. */
  readonly stray?: boolean | 'reaped'
  /** Servers that were never known here, and of which all may be ended. */
  readonly mayEnd?: readonly string[]
  /** How many there are in the end that are nobody's here, and stay. */
  readonly remain?: number
  /** What operators do when the users have had all they wanted. */
  readonly afterwards?: (stage: ControlStage) => Promise<void>
  /** Looks on, once a second. */
  readonly meanwhile?: (stage: ControlStage) => void
}

/** Runs servers once, with this plan. */
export const runServers = ({
  plan,
  bugs = {},
  stray = false,
  mayEnd = [],
  remain = 0,
  afterwards = async () => {},
  meanwhile = () => {},
  ...options
}: ServersOptions): Promise<ServersOutcome> =>
  runControl<ServerInvariant>({
    ...options,
    play: stage => serversPlay(stage, { plan, bugs, stray, mayEnd, remain, afterwards, meanwhile }),
  })

function serversPlay(
  stage: ControlStage<ServerInvariant>,
  {
    plan,
    bugs,
    stray,
    mayEnd,
    remain,
    afterwards,
    meanwhile,
  }: Required<Pick<ServersOptions, 'plan' | 'bugs' | 'stray' | 'mayEnd' | 'remain' | 'afterwards' | 'meanwhile'>>,
): Play {
  const watchman = new Watchman(stage)
  const until = stray ? leaveUnknown(stage) : 0
  for (const id of [...mayEnd, ...(stray === 'reaped' ? [strayId] : [])]) watchman.mayEnd(id)
  const buggy = (around: Around) => bugs.around?.(around) ?? around
  return {
    indexes: [...serverIndexes, orphansByRegion] as Play['indexes'],
    controllers: around => [
      boxController(around, stage.region),
      serverController(around, bugs.servers),
      regionObserver(buggy(around)),
    ],
    async users() {
      await runUsers(stage, plan)
      await afterwards(stage as unknown as ControlStage)
    },
    eachSecond() {
      watchman.eachSecond()
      meanwhile(stage as unknown as ControlStage)
    },
    synced: () => watchman.synced(),
    isSettled: () => stage.world.time >= until && isSettled(stage, { plan, strays: remain + (stray === true ? 1 : 0) }),
    endState: () => endState(stage),
  }
}

/** A sky of its own for each seed: how creates happen once, how old its pictures are, whether it has a stream. */
export function drawSky(random: SeededRandom): Sky {
  const pick = <T>(...values: readonly T[]): T => values[random.below(values.length)]!
  return {
    streams: random.next() < 0.5,
    profile: {
      idempotency: pick('token', 'name', 'search'),
      // The slowest launch, a late effect and the oldest list, one after the other, take eight.
      settle: seconds(10),
      jitter: 0.3,
      pageSize: pick(2, 500),
      consistency: pick(
        { describe: millis(0), list: millis(0) },
        { describe: seconds(1), list: seconds(3) },
        { describe: seconds(4), list: seconds(2) },
      ),
    },
  }
}

/** A sky in which creates happen once in this way, and whose pictures are a little old. */
export const skyOf = (idempotency: IdempotencyMode): Sky => ({
  streams: idempotency !== 'name',
  profile: { idempotency, consistency: { describe: millis(400), list: millis(900) } },
})

export interface SeedOptions extends Pick<ServersOptions, 'nodes' | 'parts' | 'print' | 'bugs'> {
  /** Faults to make more likely than the seed says. */
  readonly emphasis?: FaultMix
  /** What the sky must be like, whatever the seed says. */
  readonly sky?: Sky
}

/** Runs servers as this seed says: its own plan, sky and mix of faults. */
export async function runSeed(seed: number, { emphasis, sky, ...options }: SeedOptions): Promise<ServersOutcome> {
  const random = new SeededRandom(seed)
  const plan = drawPlan(random.fork('plan'))
  const drawn = drawSky(random.fork('sky'))
  const mix = { ...drawMix(controlFaults, random.fork('mix')), ...emphasis }
  const profile = { ...drawn.profile, ...sky?.profile }
  return likeUndisturbed(await runServers({ ...options, seed, plan, mix, sky: { ...drawn, ...sky, profile } }), plan)
}

/** The same plan without a fault, on one node, must lead to the same end. */
export async function likeUndisturbed(outcome: ServersOutcome, plan: Plan): Promise<ServersOutcome> {
  if (outcome.violation) return outcome
  const undisturbed = await undisturbedRun(plan)
  if (undisturbed.violation) return { ...outcome, violation: undisturbed.violation }
  if (outcome.endState === undisturbed.endState) return outcome
  const detail = `it is\n${outcome.endState}\nand undisturbed it would be\n${undisturbed.endState}`
  return { ...outcome, violation: { invariant: 'end equals undisturbed', detail } }
}

const undisturbedRuns = new WeakMap<Plan, Promise<ServersOutcome>>()

function undisturbedRun(plan: Plan): Promise<ServersOutcome> {
  const run = undisturbedRuns.get(plan) ?? runServers({ seed: 0, nodes: 1, plan })
  undisturbedRuns.set(plan, run)
  return run
}
