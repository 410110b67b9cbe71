import { canonicalJson } from '@stead/engine'
import { type MachineLaunch, ownTags, type ServicesLaunch } from '@stead/provider-kit'
import { type OpenOperation, operations } from '../../operations/model.ts'
import { allocations } from '../../quotas/charge.ts'
import { type Server, servers, slotKeyPrefix } from '../../servers/model.ts'
import { Orphan } from '../../servers/orphans/model.ts'
import { known, liveIn } from '../../servers/simulation/end-state.ts'
import { strayId } from '../../servers/simulation/strays.ts'
import type { ControlStage } from '../../simulation/index.ts'
import { type Instance, instances } from '../model.ts'
import { type Life, type Plan, wantedOf } from './plan.ts'
import { secretValue } from './secret.ts'

type Sight = Pick<ControlStage, 'ledger' | 'cloud'>

/** Whether everything is as its tenants want it and says so, and nothing else is left. */
export const isSettled = (sight: Sight, plan: Wanting): boolean => wrongs(sight, plan).next().done === true

/** All that keeps it from being settled; undefined when nothing does. */
export const missing = (sight: Sight, plan: Wanting): string | undefined =>
  [...wrongs(sight, plan)].join('; ') || undefined

type Wanting = Pick<Plan, 'lives'>

function* wrongs(sight: Sight, { lives }: Wanting): Generator<string> {
  const { ledger, cloud } = sight
  cloud.clockwork.advance()
  const wanted = lives.filter(life => wantedOf(life))
  for (const life of wanted) yield* wrongsWith(life, sight)
  for (const { spec } of known<OpenOperation>(ledger, operations))
    yield `there is no end of ${spec.type} of ${spec.subject.name}`
  const counts = {
    instances: known(ledger, instances).length,
    servers: known(ledger, servers).length,
    live: ownedIn(cloud).length,
    allocations: known(ledger, allocations).length,
  }
  for (const [what, count] of Object.entries(counts))
    if (count !== wanted.length) yield `there are ${count} ${what} in place of ${wanted.length}`
  for (const { spec } of orphansIn(ledger)) yield `${spec.backendId} is an orphan`
}

/** What there is of something, and what there should be. */
type Fact = readonly [what: string, is: unknown, wanted: unknown]

function* wrongsWith(life: Life, { ledger, cloud }: Sight): Generator<string> {
  const instance = known<Instance>(ledger, instances).find(({ name }) => name === life.name)
  const server = known<Server>(ledger, servers).find(({ id }) => id === instance?.status.slots.active)
  const real = ownedIn(cloud).find(({ id }) => id === server?.status.backendId)
  if (!instance || !server || !real) {
    yield `${life.name} is not there`
    return
  }
  const wrong = [...factsOf(life, instance), ...factsOfServer(server), ...factsOfReal(life, real)].filter(
    ([, is, wanted]) => is !== wanted,
  )
  for (const [what, is, wanted] of wrong) yield `${life.name}: its ${what} is ${is}, and not ${wanted}`
  const { conditions = [] } = instance.status
  if (wrong.length > 0) for (const { message } of conditions) yield `${life.name} says: ${message}`
}

function factsOf(life: Life, { generation, status }: Instance): readonly Fact[] {
  const isOn = wantedOf(life)!.power === 'on'
  return [
    ['observed generation', status.observedGeneration, generation],
    ['change', status.change?.effect, undefined],
    ['operation', status.operation?.type, undefined],
    ['phase', status.phase, isOn ? 'running' : 'stopped'],
    ['readiness', status.ready, isOn],
  ]
}

/** A new version of a secret is given to what runs without an operation that says so. */
const factsOfServer = ({ spec, status: { applying, applied } }: Server): readonly Fact[] => [
  ['change under way', applying?.launch, undefined],
  ['launch', applied?.launch, spec.launch.sealed],
]

type Real = ReturnType<typeof ownedIn>[number]

function factsOfReal(life: Life, { spec: { source }, state, tags }: Real): readonly Fact[] {
  const { power, image, label, version, ...machine } = wantedOf(life)!
  const states: readonly string[] = power === 'on' ? ['active'] : ['halted', 'error']
  const common: readonly Fact[] = [
    ['state', states.includes(state) ? states[0] : state, states[0]],
    ['label', tags['stead.label.own'], label],
  ]
  if (source.type === 'machine') return [...common, ['image', source.image, image], ...factsOfMachine(source, machine)]
  if (source.type !== 'services') return common
  return [
    ...common,
    ['image', source.services.web?.image, image],
    ['secret', secretIn(source), secretValue(life, version)],
  ]
}

interface WantedMachine {
  readonly flavor: string
  readonly key: string | undefined
  readonly keep: boolean
}

const factsOfMachine = (source: MachineLaunch, { flavor, key, keep }: WantedMachine): readonly Fact[] => [
  ['flavor', source.flavor, flavor],
  ['key', source.sshKeys?.[0], key],
  ['keeping of addresses', source.keepAddresses !== undefined, keep],
]

/** What is alive and ours: others make things too. */
const ownedIn = (cloud: ControlStage['cloud']) =>
  liveIn(cloud).filter(({ tags }) => tags[ownTags.controlPlane] !== undefined && tags[ownTags.serverId] !== strayId)

/** What is reported, but for what was left there to be. */
const orphansIn = (ledger: ControlStage['ledger']) =>
  known<Orphan>(ledger, Orphan.kind).filter(({ spec }) => spec.serverId !== strayId)

/** Whether what nobody here ever had is reported, where it was left. */
export const isReported = ({ ledger }: Pick<ControlStage, 'ledger'>, stray: boolean): boolean =>
  known(ledger, Orphan.kind).length - orphansIn(ledger).length === (stray ? 1 : 0)

/** The secret that a service was given, in whichever way. */
function secretIn({ services: { web } }: ServicesLaunch): string | undefined {
  const file = web?.files[0]?.content
  return web?.secretEnv.PASSWORD ?? (file && Buffer.from(file).toString())
}

/** What is left in the end, without what may differ: ids, times, how often something was tried. */
export function endState({ ledger, cloud }: Sight): string {
  const left = known<Instance>(ledger, instances).map(({ name, spec, labels, status }) => {
    const { phase, ready, power } = status
    return { name, source: spec.source, label: labels.own ?? null, phase, ready, power }
  })
  return canonicalJson({
    instances: left.sort((a, b) => (a.name! < b.name! ? -1 : 1)),
    servers: known(ledger, servers).length,
    slots: [...ledger.keys.keys()].filter(key => key.startsWith(slotKeyPrefix)).length,
    allocations: known(ledger, allocations).length,
    operations: known(ledger, operations).length,
    live: ownedIn(cloud).length,
    orphans: orphansIn(ledger).length,
  })
}
