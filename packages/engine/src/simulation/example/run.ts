import { SeededRandom } from '@stead/world'
import { engineFaults } from '../engine-faults.ts'
import { type Domain, Experiment, type ExperimentOptions, type ExperimentParts, type Outcome } from '../experiment.ts'
import { drawMix } from '../faults.ts'
import { endState, isSettled } from './end-state.ts'
import { gadgetController } from './gadgets/controller.ts'
import { type OutsideFault, outsideFaults } from './outside/faults.ts'
import { type Effect, FaultyOutside } from './outside/faulty-outside.ts'
import { Things } from './outside/things.ts'
import { drawPlan, type Plan } from './plan.ts'
import { runUsers } from './users.ts'
import { type ExampleInvariant, type ExampleStage, Watchman } from './watchman.ts'
import { widgetController } from './widgets/controller.ts'
import { workshopController } from './workshop/controller.ts'

export const exampleFaults = { ...engineFaults, ...outsideFaults }
export type ExampleFault = keyof typeof exampleFaults

export interface ExampleParts extends ExperimentParts {
  readonly Outside?: typeof FaultyOutside
}

type Options = ExperimentOptions<OutsideFault, ExampleInvariant>

export interface ExampleOptions extends Pick<Options, 'seed' | 'nodes' | 'mix' | 'script' | 'print'> {
  readonly plan: Plan
  readonly parts?: ExampleParts
}

export type ExampleOutcome = Outcome<OutsideFault, ExampleInvariant>

/** Runs the example once, with this plan. */
export const runExample = ({ plan, ...options }: ExampleOptions): Promise<ExampleOutcome> =>
  new Experiment<OutsideFault, ExampleInvariant>({
    ...options,
    catalogue: exampleFaults,
    domain: stage => exampleDomain(stage, plan, options.parts?.Outside ?? FaultyOutside),
  }).run()

export interface SeedOptions extends Pick<ExampleOptions, 'nodes' | 'parts' | 'print'> {
  /** Faults to make more likely than the seed says. */
  readonly emphasis?: NonNullable<Options['mix']>
}

/** Runs the example as this seed says: its own plan, its own mix of faults; and compares the end with the undisturbed. */
export async function runSeed(seed: number, { emphasis, ...options }: SeedOptions): Promise<ExampleOutcome> {
  const random = new SeededRandom(seed)
  const plan = drawPlan(random.fork('plan'))
  const mix = { ...drawMix(exampleFaults, random.fork('mix')), ...emphasis }
  return likeUndisturbed(await runExample({ ...options, seed, plan, mix }), plan)
}

/** The same plan without a fault, on one node, must lead to the same end. */
export async function likeUndisturbed(outcome: ExampleOutcome, plan: Plan): Promise<ExampleOutcome> {
  if (outcome.violation) return outcome
  const undisturbed = await undisturbedRun(plan)
  if (undisturbed.violation) return { ...outcome, violation: undisturbed.violation }
  if (outcome.endState === undisturbed.endState) return outcome
  const detail = `it is\n${outcome.endState}\nand undisturbed it would be\n${undisturbed.endState}`
  return { ...outcome, violation: { invariant: 'end equals undisturbed', detail } }
}

const undisturbedRuns = new WeakMap<Plan, Promise<ExampleOutcome>>()

function undisturbedRun(plan: Plan): Promise<ExampleOutcome> {
  const run = undisturbedRuns.get(plan) ?? runExample({ seed: 0, nodes: 1, plan })
  undisturbedRuns.set(plan, run)
  return run
}

function exampleDomain(stage: ExampleStage, plan: Plan, Outside: typeof FaultyOutside): Domain {
  const { world, faults, ledger } = stage
  const things = new Things(() => world.time)
  const watchman = new Watchman(stage, things)
  return {
    controllers({ world: node, store, die }) {
      const tookEffect = (effect: Effect) => watchman.tookEffect(effect)
      const outside = new Outside({ world, node, things, faults, die, tookEffect })
      return [gadgetController, widgetController(outside), workshopController({ outside, store })]
    },
    users: () => runUsers(stage, plan),
    eachSecond() {
      for (const { token, state } of things.list()) {
        if (state === 'live' && faults.strikes('outside-death')) things.die(token)
        if (faults.strikes('outside-vanishing')) things.remove(token)
      }
      watchman.eachSecond()
    },
    synced: () => watchman.synced(),
    isSettled: () => isSettled(ledger, things),
    endState: () => endState(ledger, things),
  }
}
