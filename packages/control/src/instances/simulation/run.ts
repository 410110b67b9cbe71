import { canonicalJson } from '@stead/engine'
import { drawMix, type FaultMix, type NodeProgram } from '@stead/engine/simulation'
import { type MachineLaunch, ownTags, type ServicesLaunch } from '@stead/provider-kit'
import { SeededRandom } from '@stead/world'
import type { DoorEngine } from '../../door/engine.ts'
import { imagesByBackend } from '../../images/model.ts'
import { operations } from '../../operations/model.ts'
import { quotaRoutes } from '../../quotas/api.ts'
import { allocations } from '../../quotas/charge.ts'
import type { QuotaVerifier } from '../../quotas/verifier.ts'
import { RegionCatalogs } from '../../regions/catalog/catalogs.ts'
import { serverController } from '../../servers/controller.ts'
import { type Server, serverIndexes, servers } from '../../servers/model.ts'
import { regionObserver } from '../../servers/observing/observer.ts'
import { orphansByRegion } from '../../servers/orphans/model.ts'
import { known, liveIn } from '../../servers/simulation/end-state.ts'
import { drawSky } from '../../servers/simulation/run.ts'
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
import { differingInstances, type Instance, instances, instancesByRegion, instancesByUse } from '../model.ts'
import { drawPlan, type Plan, type Wanted, wantedOf } from './plan.ts'
import { secretValue } from './secret.ts'
import { type Outside, runUsers } from './users.ts'
import { type InstanceInvariant, Watchman } from './watchman.ts'

export type InstancesOutcome = ControlOutcome<InstanceInvariant>
type Options = Parameters<typeof runControl<InstanceInvariant>>[0]

export interface InstancesOptions extends Omit<Options, 'play'> {
  readonly plan: Plan
  readonly bugs?: Bugs
  /** What is to go wrong in the cloud, and when. */
  readonly prepare?: (cloud: ControlStage['cloud']) => void
}

/** Parts with a bug in them, to see whether it is found. */
export interface Bugs extends Partial<InstanceParts> {
  /** What the front door has of the engine. */
  readonly door?: (engine: DoorEngine) => DoorEngine
  /** What it takes a request for. */
  readonly asked?: (asked: Asked) => Asked
}

/** Runs instances once, with this plan. */
export const runInstances = ({ plan, bugs, prepare, ...options }: InstancesOptions): Promise<InstancesOutcome> =>
  runControl<InstanceInvariant>({
    ...options,
    play(stage) {
      prepare?.(stage.cloud)
      return instancesPlay(stage, plan, bugs)
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
      ...{ engine: bugs.door?.(engine) ?? engine, world: node.world, sealer: room.sealer },
      routes: [...instanceRoutes({ ...room, cache }), ...quotaRoutes({ store: node.store, verifier: noVerifier })],
    })
    const { asked: misread } = bugs
    return misread ? { ask: (asked, signal) => desk.ask(misread(asked), signal) } : desk
  }
  return {
    indexes,
    controllers(around) {
      const catalogs = new RegionCatalogs({ clients: around.clients, world: around.node.world })
      rooms.set(around.node.store, { ...around, catalogs })
      return [instanceController({ ...around, catalogs }, bugs), serverController(around), regionObserver(around)]
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

function instancesPlay(stage: ControlStage<InstanceInvariant>, plan: Plan, bugs?: Bugs): Play {
  const watchman = new Watchman(stage)
  const { deskOf, ...control } = instanceControl(bugs)
  return {
    ...control,
    users: () => runUsers({ ...stage, deskOf, consents: watchman.consents }, plan),
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
  const live = ownedIn(cloud)
  const lives = plan.lives.filter(life => wantedOf(life))
  const counts = [here.length, all.length, live.length, known(ledger, allocations).length]
  if (counts.some(count => count !== lives.length) || known(ledger, operations).length > 0) return false
  return lives.every(life => {
    const wanted = wantedOf(life)!
    const instance = here.find(({ name }) => name === life.name)
    const server = all.find(({ id }) => id === instance?.status.slots.active)
    const real = live.find(({ id }) => id === server?.status.backendId)
    if (!instance || !server || !real) return false
    const { status, generation } = instance
    if (status.observedGeneration !== generation || status.change || status.operation) return false
    // A new version of a secret is given to what runs without an operation that says so.
    const { applying, applied } = server.status
    if (applying || applied?.launch !== server.spec.launch.sealed) return false
    const { source } = real.spec
    const image =
      source.type === 'machine' ? source.image : source.type === 'services' ? source.services.web?.image : ''
    return (
      status.phase === (wanted.power === 'on' ? 'running' : 'stopped') &&
      status.ready === (wanted.power === 'on') &&
      (wanted.power === 'on' ? ['active'] : ['halted', 'error']).includes(real.state) &&
      image === wanted.image &&
      (source.type !== 'machine' || isMachine(source, wanted)) &&
      (source.type !== 'services' || secretIn(source) === secretValue(life, wanted.version)) &&
      real.tags['stead.label.own'] === wanted.label
    )
  })
}

const isMachine = (source: MachineLaunch, { flavor, key, keep }: Wanted): boolean =>
  source.flavor === flavor && source.sshKeys?.[0] === key && (source.keepAddresses !== undefined) === keep

/** What is alive and ours: others make things too. */
const ownedIn = (cloud: ControlStage['cloud']) =>
  liveIn(cloud).filter(({ tags }) => tags[ownTags.controlPlane] !== undefined)

/** The secret that a service was given, in whichever way. */
function secretIn({ services: { web } }: ServicesLaunch): string | undefined {
  const file = web?.files[0]?.content
  return web?.secretEnv.PASSWORD ?? (file && Buffer.from(file).toString())
}

/** What is left in the end, without what may differ: ids, times, how often something was tried. */
function endState({ ledger, cloud }: Sight): string {
  const left = known<Instance>(ledger, instances).map(({ name, spec, labels, status }) => {
    const { phase, ready, power } = status
    return { name, source: spec.source, label: labels.own ?? null, phase, ready, power }
  })
  return canonicalJson({
    instances: left.sort((a, b) => (a.name! < b.name! ? -1 : 1)),
    servers: known(ledger, servers).length,
    slots: [...ledger.keys.keys()].filter(key => key.startsWith('server-slot/')).length,
    allocations: known(ledger, allocations).length,
    operations: known(ledger, operations).length,
    live: ownedIn(cloud).length,
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
