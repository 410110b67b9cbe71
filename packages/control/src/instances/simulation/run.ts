import { canonicalJson } from '@stead/engine'
import { drawMix, type FaultMix } from '@stead/engine/simulation'
import { SeededRandom } from '@stead/world'
import { operations } from '../../operations/model.ts'
import { allocations } from '../../quotas/charge.ts'
import { RegionCatalogs } from '../../regions/catalog/catalogs.ts'
import { serverController } from '../../servers/controller.ts'
import { type Server, serverIndexes, servers } from '../../servers/model.ts'
import { regionObserver } from '../../servers/observing/observer.ts'
import { orphansByRegion } from '../../servers/orphans/model.ts'
import { known, liveIn } from '../../servers/simulation/end-state.ts'
import { drawSky } from '../../servers/simulation/run.ts'
import { type ControlOutcome, type ControlStage, controlFaults, type Play, runControl } from '../../simulation/index.ts'
import { type InstanceParts, instanceController } from '../controller.ts'
import { type Instance, instances, instancesByRegion, instancesByUse } from '../model.ts'
import { drawPlan, type Plan, wantedOf } from './plan.ts'
import { runUsers } from './users.ts'
import { type InstanceInvariant, Watchman } from './watchman.ts'

export type InstancesOutcome = ControlOutcome<InstanceInvariant>
type Options = Parameters<typeof runControl<InstanceInvariant>>[0]

export interface InstancesOptions extends Omit<Options, 'play'> {
  readonly plan: Plan
  /** Parts of the controller with a bug in them, to see whether it is found. */
  readonly bugs?: Partial<InstanceParts>
}

/** Runs instances once, with this plan. */
export const runInstances = ({ plan, bugs, ...options }: InstancesOptions): Promise<InstancesOutcome> =>
  runControl<InstanceInvariant>({ ...options, play: stage => instancesPlay(stage, plan, bugs) })

function instancesPlay(stage: ControlStage<InstanceInvariant>, plan: Plan, bugs?: Partial<InstanceParts>): Play {
  const watchman = new Watchman(stage)
  return {
    indexes: [...serverIndexes, orphansByRegion, instancesByRegion, instancesByUse] as unknown as Play['indexes'],
    controllers: around => {
      const catalogs = new RegionCatalogs({ clients: around.clients, world: around.node.world })
      return [instanceController({ ...around, catalogs }, bugs), serverController(around), regionObserver(around)]
    },
    users: () => runUsers(stage, plan),
    synced: () => watchman.synced(),
    isSettled: () => isSettled(stage, plan),
    endState: () => endState(stage),
  }
}

type Sight = Pick<ControlStage, 'ledger' | 'cloud'>

/** Everything is as its tenant wants it and says so, and nothing else is left. */
function isSettled({ ledger, cloud }: Sight, plan: Plan): boolean {
  cloud.clockwork.advance()
  const here = known<Instance>(ledger, instances)
  const all = known<Server>(ledger, servers)
  const live = liveIn(cloud)
  const lives = plan.filter(life => wantedOf(life))
  const counts = [here.length, all.length, live.length, known(ledger, allocations).length]
  if (counts.some(count => count !== lives.length) || known(ledger, operations).length > 0) return false
  return lives.every(life => {
    const wanted = wantedOf(life)!
    const instance = here.find(({ id }) => id === life.id)
    const server = all.find(({ id }) => id === instance?.status.slots.active)
    const real = live.find(({ id }) => id === server?.status.backendId)
    if (!instance || !server || !real) return false
    const { status, generation } = instance
    if (status.observedGeneration !== generation || status.change || status.operation) return false
    const { source } = real.spec
    const image =
      source.type === 'machine' ? source.image : source.type === 'services' ? source.services.web?.image : ''
    return (
      status.phase === (wanted.power === 'on' ? 'running' : 'stopped') &&
      status.ready === (wanted.power === 'on') &&
      (wanted.power === 'on' ? ['active'] : ['halted', 'error']).includes(real.state) &&
      image === wanted.image &&
      (source.type !== 'machine' || source.flavor === wanted.flavor) &&
      real.tags['stead.label.own'] === wanted.label
    )
  })
}

/** What is left in the end, without what may differ: ids, times, how often something was tried. */
function endState({ ledger, cloud }: Sight): string {
  const left = known<Instance>(ledger, instances).map(({ id, spec, labels, status }) => {
    const { phase, ready, power } = status
    return { id, source: spec.source, label: labels.own ?? null, phase, ready, power }
  })
  return canonicalJson({
    instances: left.sort((a, b) => (a.id < b.id ? -1 : 1)),
    servers: known(ledger, servers).length,
    slots: [...ledger.keys.keys()].filter(key => key.startsWith('server-slot/')).length,
    allocations: known(ledger, allocations).length,
    operations: known(ledger, operations).length,
    live: liveIn(cloud).length,
  })
}

export interface SeedOptions extends Pick<InstancesOptions, 'nodes' | 'print' | 'bugs'> {
  /** Faults to make more likely than the seed says. */
  readonly emphasis?: FaultMix
}

/** What is settled is as every tenant wants it; that the rest is as undisturbed is asked of some: it costs as much again. */
const compareEach = 5

/** Runs instances as this seed says, and compares the end of some with the same plan undisturbed. */
export async function runSeed(seed: number, { emphasis, ...options }: SeedOptions): Promise<InstancesOutcome> {
  const random = new SeededRandom(seed)
  const plan = drawPlan(random.fork('plan'))
  const sky = drawSky(random.fork('sky'))
  const mix = { ...drawMix(controlFaults, random.fork('mix')), ...emphasis }
  const outcome = await runInstances({ ...options, seed, plan, mix, sky })
  if (outcome.violation || seed % compareEach !== 0) return outcome
  const undisturbed = await runInstances({ seed: 0, nodes: 1, plan })
  if (undisturbed.violation) return { ...outcome, violation: undisturbed.violation }
  if (outcome.endState === undisturbed.endState) return outcome
  const detail = `it is\n${outcome.endState}\nand undisturbed it would be\n${undisturbed.endState}`
  return { ...outcome, violation: { invariant: 'end equals undisturbed', detail } }
}
