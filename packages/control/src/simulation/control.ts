import { type Controller, changeSet, type Index, type ObjectDraft, Sealer, SealKey } from '@stead/engine'
import {
  type Domain,
  type EngineFault,
  Experiment,
  type ExperimentParts,
  type FaultMix,
  type NodeContext,
  type Outcome,
  type ScriptedFault,
  type Stage,
} from '@stead/engine/simulation'
import { type CloudProfile, type FaultName, SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import { millis, type World } from '@stead/world'
import { RegionClients } from '../regions/clients.ts'
import { Region } from '../regions/model.ts'
import { sealInto } from '../sealed/model.ts'
import { type CloudFault, type ControlFault, controlFaults } from './faults.ts'
import { mortal } from './mortal.ts'

/** What rooms have around them on one node of a simulation. */
export interface Around {
  readonly node: NodeContext
  readonly store: NodeContext['store']
  readonly sealer: Sealer
  readonly clients: RegionClients
}

export interface ControlStage<Invariant extends string = never> extends Stage<ControlFault, Invariant> {
  readonly cloud: SimulatedCloud
  /** The one region there is, once `setUp` has been awaited. */
  readonly region: string
  /** Registers the region, as an operator does. Answers the revision at which it is there. */
  setUp(): Promise<number>
}

/** What is simulated: who controls what, what users do with it, and what must hold of it. */
export interface Play extends Omit<Domain, 'controllers' | 'calm' | 'eachSecond' | 'synced'> {
  controllers(around: Around): readonly Controller[]
  readonly indexes: readonly Index[]
  eachSecond?(): void
  synced?(): void
  /** A node calls the backend with this verb. */
  called?(verb: string): void
}

export interface Sky {
  readonly profile?: Partial<CloudProfile>
  /** Whether the backend tells changes by a stream. Default: it does. */
  readonly streams?: boolean
}

export interface ControlOptions<Invariant extends string> {
  readonly seed: number
  readonly nodes: number
  readonly mix?: FaultMix<EngineFault | ControlFault>
  readonly script?: readonly ScriptedFault<EngineFault | ControlFault>[]
  readonly print?: (line: string) => void
  readonly parts?: ExperimentParts
  readonly sky?: Sky
  readonly play: (stage: ControlStage<Invariant>) => Play
}

export type ControlOutcome<Invariant extends string = string> = Outcome<ControlFault, Invariant>

export const simulatedRegion = 'reg_01977420-0000-7000-8000-000000000000'

/** Runs the control plane once: nodes on one database, one region on a simulated cloud, and whatever the play adds. */
export async function runControl<Invariant extends string>(
  options: ControlOptions<Invariant>,
): Promise<ControlOutcome<Invariant>> {
  const { sky, play, ...rest } = options
  let cloud: SimulatedCloud | undefined
  const outcome = await new Experiment<ControlFault, Invariant>({
    ...rest,
    catalogue: controlFaults,
    domain: stage => {
      cloud = new SimulatedCloud({
        world: stage.world,
        seed: options.seed,
        ...(sky?.profile && { profile: sky.profile }),
        rates: ratesOf(options.mix),
      })
      return domainOf(stage, cloud, options)
    },
  }).run()
  for (const [name, hits] of Object.entries(cloud!.counts()) as [FaultName, number][])
    outcome.faults[`cloud-${name}`] = { hits, occasions: hits }
  return outcome
}

/** Those that come by themselves, at any time: the play of the others is each call's. */
const eachSecond = ['crash', 'disappear', 'outage', 'partialOutage', 'slowness'] as const

function ratesOf(mix: FaultMix<CloudFault> | undefined): Partial<Record<FaultName, number>> {
  const entries = Object.entries(mix ?? {}).filter(([name]) => name.startsWith('cloud-'))
  const named = entries.map(([name, rate]) => [name.slice('cloud-'.length), rate] as const)
  const stale = ['staleDescribe', 'staleList']
  return Object.fromEntries(
    named.filter(([name]) => !stale.includes(name) && !(eachSecond as readonly string[]).includes(name)),
  )
}

function domainOf<Invariant extends string>(
  stage: Stage<ControlFault, Invariant>,
  cloud: SimulatedCloud,
  { play: begin, sky }: ControlOptions<Invariant>,
): Domain {
  const play = begin({ ...stage, cloud, region: simulatedRegion, setUp: () => registerRegion(stage) })
  const outages = new Set<() => void>()
  return {
    ...play,
    controllers(node) {
      const definition = mortal(simulatedProvider(() => cloud) as unknown as Parameters<typeof mortal>[0], {
        strikes: name => stage.faults.strikes(name),
        die: node.die,
        streams: sky?.streams ?? true,
        sent(what) {
          stage.trace.add(node.name, `calls ${what}`)
          play.called?.(what)
        },
      })
      const sealer = sealerOf(node.world)
      const clients = new RegionClients({ providers: [definition], store: node.store, sealer, world: node.world })
      return play.controllers({ node, store: node.store, sealer, clients })
    },
    eachSecond() {
      disturb(stage, cloud, outages)
      play.eachSecond?.()
    },
    synced: () => play.synced?.(),
    calm() {
      for (const name of Object.keys(cloud.faults.rates) as FaultName[])
        if (!name.startsWith('stale')) delete cloud.faults.rates[name]
      for (const end of outages) end()
    },
  }
}

const sealKey = new SealKey(Buffer.alloc(32, 5))

/** The one with which everything there is sealed. */
export const sealerOf = (world: World) => new Sealer(world, sealKey)

/** With a call that takes ten times as long by itself, still sooner there than a cloud without tokens says (`settle`). */
const slowFactor = 3

function disturb(
  { faults, world }: Pick<Stage<ControlFault>, 'faults' | 'world'>,
  cloud: SimulatedCloud,
  outages: Set<() => void>,
): void {
  const running = [...cloud.account().servers].filter(({ state }) => state === 'active')
  for (const server of running) {
    if (faults.strikes('cloud-crash')) cloud.crash(server.id)
    if (faults.strikes('cloud-disappear')) cloud.disappear(server.id)
  }
  for (const kind of ['outage', 'partialOutage', 'slowness'] as const) {
    if (!faults.strikes(`cloud-${kind}`)) continue
    const end = cloud.outage({ kind, ...(kind === 'partialOutage' && { share: 0.5 }), factor: slowFactor })
    outages.add(end)
    world.setTimer(millis(faults.between(`cloud-${kind}`, 1_000, 15_000)), end)
  }
}

function registerRegion({ world, requests }: Pick<Stage, 'world' | 'requests'>): Promise<number> {
  return requests.insist({
    who: 'operator',
    what: 'register a region',
    known: 0,
    changes() {
      const set = changeSet(world)
      const ref = { kind: Region.kind, id: simulatedRegion }
      const key = Buffer.from(JSON.stringify({ key: 'simulated' }))
      const credentials = sealInto(set, sealerOf(world), ref, key)
      const region: ObjectDraft<Region['spec'], Region['status']> = {
        ...ref,
        name: 'simulated',
        labels: {},
        finalizers: [],
        createdAt: world.now(),
        spec: { provider: 'simulated', configuration: { cloud: 'default' }, credentials, mode: 'active' },
        status: { health: 'healthy', sources: [], capabilities: [], notes: [] },
      }
      return set.create(region)
    },
    isDone: conflict => conflict.type === 'absent',
  })
}
