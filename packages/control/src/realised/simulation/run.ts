import { type Controller, type Index, Sealer, SealKey } from '@stead/engine'
import {
  type Domain,
  drawMix,
  Experiment,
  type ExperimentOptions,
  engineFaults,
  type Outcome,
} from '@stead/engine/simulation'
import type { IdempotencyMode } from '@stead/provider-kit'
import { type FaultName, type Script, SimulatedCloud } from '@stead/provider-kit/simulated'
import { millis, SeededRandom } from '@stead/world'
import { teller } from '../../audit/deeds.ts'
import type { Fetching } from '../../images/fetch.ts'
import { imagesByRegion } from '../../images/model.ts'
import { imageWhole, realisedImages } from '../../images/realise.ts'
import type { Staging } from '../../images/staging/staging.ts'
import { networksByRegion } from '../../networks/model.ts'
import { networkWhole, realisedNetworks } from '../../networks/realise.ts'
import { RegionClients } from '../../regions/clients.ts'
import { SecurityGroup } from '../../security-groups/model.ts'
import { realisedSecurityGroups, securityGroupWhole } from '../../security-groups/realise.ts'
import { ownedBy } from '../../teardown/parts.ts'
import { type RealisedParts, realisedController } from '../controller.ts'
import { type CrossingFault, crosser, crossing, crossingFaults, strikeOutages } from './cloud.ts'
import { fetchingIn, SharedDisk } from './content.ts'
import { type Plan, runUsers } from './users.ts'
import { type RealisedInvariant, type RealisedStage, Watchman } from './watchman.ts'

export const catalogue = { ...engineFaults, ...crossingFaults }

type Options = ExperimentOptions<CrossingFault, RealisedInvariant>

/** What the cloud of a run is like. */
export interface Sky {
  readonly mode: IdempotencyMode
  readonly scripts?: readonly (Script & { readonly fault: FaultName })[]
  readonly rates?: Partial<Record<FaultName, number>>
}

export interface RunOptions extends Pick<Options, 'seed' | 'nodes' | 'mix' | 'script' | 'print'> {
  readonly plan: Plan
  readonly sky: Sky
  /** With a bug in them. */
  readonly parts?: RealisedParts & { readonly staging?: (inner: Staging) => Staging }
}

export type RealisedOutcome = Outcome<CrossingFault, RealisedInvariant> & {
  /** How often each fault of the cloud struck, and how many calls it had. */
  readonly struck: Readonly<Record<FaultName, number>>
  readonly calls: number
}

/** Networks and their groups, and images, as they are in the house. */
function controllersOf(clients: RegionClients, fetching: Fetching, parts: RealisedParts): readonly Controller[] {
  const groups = ownedBy(SecurityGroup.kind, { noun: 'security-groups', blocks: true, end: 'mark' })
  const around = { clients, tell: teller([]) }
  return [
    realisedController(realisedNetworks(networkWhole([groups])), around, parts),
    realisedController(realisedSecurityGroups(securityGroupWhole([])), around, parts),
    realisedController(realisedImages(imageWhole([]), fetching), around, parts),
  ]
}

/** Runs a plan once, in a sky of this kind. */
export async function run({ plan, sky, parts = {}, ...options }: RunOptions) {
  let cloud: SimulatedCloud | undefined
  let calls = 0
  const domain = (stage: RealisedStage): Domain => {
    cloud = cloudOver(stage, sky)
    const { serve } = cloud
    cloud.serve = (...request) => {
      calls++
      return serve.apply(cloud!, request) as never
    }
    return domainOf(stage, cloud, { plan, parts })
  }
  const outcome = await new Experiment<CrossingFault, RealisedInvariant>({ ...options, catalogue, domain }).run()
  return { ...outcome, struck: cloud!.counts(), calls }
}

function cloudOver({ world }: RealisedStage, { mode, scripts = [], rates = {} }: Sky): SimulatedCloud {
  const cloud = new SimulatedCloud({
    world,
    seed: world.seed,
    profile: { idempotency: mode, consistency: { describe: millis(400), list: millis(900) } },
    rates: { staleDescribe: 0, staleList: 0, ...rates },
  })
  for (const { fault, ...script } of scripts) cloud.script(fault, script)
  return cloud
}

function domainOf(
  stage: RealisedStage,
  cloud: SimulatedCloud,
  { plan, parts }: Required<Pick<RunOptions, 'plan' | 'parts'>>,
): Domain {
  const { world, faults } = stage
  const disk = new SharedDisk()
  const watchman = new Watchman(stage, cloud, disk)
  const sentFresh = (token: string) => watchman.sentFresh(token)
  return {
    controllers(context) {
      const sealer = new Sealer(context.world, new SealKey(Buffer.alloc(32, 7)))
      const cross = crosser({ faults }, context)
      const providers = [crossing({ cloud, faults, sentFresh }, cross)]
      const { store, world } = context
      const fetching = fetchingIn({ disk, world, faults, cross })
      const staging = parts.staging?.(fetching.staging) ?? fetching.staging
      return controllersOf(new RegionClients({ providers, store, sealer, world }), { ...fetching, staging }, parts)
    },
    indexes: [networksByRegion as Index, imagesByRegion as Index],
    users: () => runUsers(stage, plan),
    eachSecond() {
      strikeOutages({ cloud, faults }, world)
    },
    synced: () => watchman.synced(),
    calm() {
      for (const fault of Object.keys(cloud.faults.rates) as FaultName[]) cloud.faults.rates[fault] = 0
    },
    isSettled: () => watchman.isSettled(),
    endState: () => watchman.endState(),
  }
}

/** The same plan without a fault, on one node, must lead to the same end. */
export async function likeUndisturbed(outcome: RealisedOutcome, { plan, sky }: Pick<RunOptions, 'plan' | 'sky'>) {
  if (outcome.violation) return outcome
  const { endState } = await undisturbed(plan, sky.mode)
  if (outcome.endState === endState) return outcome
  const detail = `it is\n${outcome.endState}\nand undisturbed it would be\n${endState}`
  return { ...outcome, violation: { invariant: 'end equals undisturbed' as const, detail } }
}

const undisturbedRuns = new Map<string, Promise<RealisedOutcome>>()

/** A run in which nothing goes wrong. */
export function undisturbed(plan: Plan, mode: IdempotencyMode): Promise<RealisedOutcome> {
  const key = JSON.stringify([plan, mode])
  const known = undisturbedRuns.get(key) ?? run({ seed: 0, nodes: 1, plan, sky: { mode } })
  undisturbedRuns.set(key, known)
  return known
}

/** How likely each fault of the cloud is, each time it could strike. */
export const cloudRates = {
  ...{ errorBefore: 0.06, lostReply: 0.06, lateEffect: 0.12, slow: 0.04, throttled: 0.04 },
  ...{ staleDescribe: 0.5, staleList: 0.5 },
} as const satisfies Partial<Record<FaultName, number>>

export interface SeedOptions extends Pick<RunOptions, 'nodes' | 'parts'> {
  readonly mode: IdempotencyMode
  readonly plan: Plan
}

/** Runs a plan with everything that can go wrong, as often as this seed says. */
export async function runSeed(seed: number, { mode, plan, ...options }: SeedOptions): Promise<RealisedOutcome> {
  const random = new SeededRandom(seed)
  const mix = drawMix(catalogue, random.fork('mix'))
  const share = random.fork('sky').next() * 2
  const rates = Object.fromEntries(
    Object.entries(cloudRates).map(([fault, rate]) => [fault, Math.min(rate * share, 0.5)]),
  )
  const sky = { mode, rates }
  return likeUndisturbed(await run({ ...options, seed, plan, sky, mix }), { plan, sky })
}
