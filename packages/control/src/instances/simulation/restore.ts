import { canonicalJson, findCondition } from '@stead/engine'
import { createToken, type LaunchSpec, ownTags, serverTags, type Tags } from '@stead/provider-kit'
import { hours, millis, seconds } from '@stead/world'
import { operations } from '../../operations/model.ts'
import { allocations } from '../../quotas/charge.ts'
import { backendKeyPrefix, type Server, servers, slotKeyPrefix } from '../../servers/model.ts'
import { Orphan } from '../../servers/orphans/model.ts'
import { known, liveIn } from '../../servers/simulation/end-state.ts'
import { type ControlStage, type Play, runControl } from '../../simulation/index.ts'
import { type Instance, instances } from '../model.ts'
import { askFor, deletion } from './asks.ts'
import { keys, type Plan } from './plan.ts'
import { type InstancesOptions, type InstancesOutcome, instanceControl } from './run.ts'
import { operator } from './tenants.ts'
import { runUsers, User } from './users.ts'
import { type InstanceInvariant, Watchman } from './watchman.ts'

type Stage = ControlStage<InstanceInvariant>

/** One for each thing that can happen to an instance after a backup, by name. */
const [kept, deleted, replaced, stopped, resized, made] = Array.from({ length: 6 }, (_, n) => `inst-${n}`) as [
  ...[string, string, string, string, string, string],
]
/** Made by somebody else, and adopted too. */
const foreign = 'inst-6'
/** In the middle of being replaced when the backup is made. */
const halfway = 'inst-7'
/** Marked as deleted when the backup is made, and still there. */
const leaving = 'inst-8'
/** Made by mistake after the backup: it goes when an operator says so. */
const mistake = 'inst-9'
const before: Plan = {
  lives: [kept, deleted, replaced, stopped, resized, halfway, leaving].map(name => ({
    ...{ name, tenant: 'tenant-0', source: 'machine', steps: [{ type: 'create', after: 0 }] },
  })),
  limits: [],
}

/** Verbs that change nothing. */
const looking: ReadonlySet<string> = new Set(['catalog', 'describe', 'list'])

export interface RestoreOptions extends Omit<InstancesOptions, 'plan'> {
  /** Told when the backup has been restored: whatever happens from here on happens to a restored store. */
  readonly restored?: (stage: Stage) => void
}

/** Instances are made, and the store is then what a backup was, while the cloud has moved on; an operator puts it right. */
export const runRestore = ({ bugs = {}, restored = () => {}, ...options }: RestoreOptions): Promise<InstancesOutcome> =>
  runControl<InstanceInvariant>({ ...options, play: stage => restorePlay(stage, { bugs, restored }) })

function restorePlay(stage: Stage, { bugs, restored }: Required<Pick<RestoreOptions, 'bugs' | 'restored'>>): Play {
  const watchman = new Watchman(stage)
  const { database } = stage.cluster
  const isMutating = (verb: string) => !looking.has(verb)
  const { deskOf, ...control } = instanceControl(bugs)
  const outside = { ...stage, deskOf, consents: watchman.consents }
  /** What is in the cloud when the backup is restored. */
  const there = new Set<string>()
  return {
    ...control,
    async users() {
      await runUsers(outside, before)
      await until(stage, 'all run', () => instancesIn(stage).every(({ status }) => status.ready))
      await beginChanges(stage, new User(outside, 'tenant', 0))
      database.restored()
      for (const node of stage.cluster.nodes) stage.cluster.kill(node, 'its store is restored')
      const found = moveOn(stage, watchman)
      stage.world.leap(hours(24))
      for (const { id } of liveIn(stage.cloud)) there.add(id)
      restored(stage)
      await until(stage, 'everything is reported', () => isReported(stage))
      await putRight(new User(outside, 'operator', 0), found)
      database.identity = { ...database.identity, observeOnly: false }
    },
    eachSecond: () => watchman.eachSecond(),
    synced: () => watchman.synced(),
    called(verb) {
      const isRight = !(database.identity.observeOnly && isMutating(verb))
      stage.violations.check(isRight, 'observing is all it does', () => `${verb} was called`)
    },
    isSettled: () => isSettled(stage),
    endState: () => endState(stage, there),
  }
}

const instancesIn = ({ ledger }: Stage) => known<Instance>(ledger, instances)
const instanceOf = (stage: Stage, name: string) => instancesIn(stage).find(each => each.name === name)

function realOf(stage: Stage, name: string) {
  const active = instanceOf(stage, name)!.status.slots.active
  const server = known<Server>(stage.ledger, servers).find(each => each.id === active)!
  return stage.cloud.account().server(server.status.backendId!)
}

async function until(stage: Stage, what: string, holds: () => boolean, each = seconds(1)): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 600) throw new Error(`it never came true: ${what}`)
    await stage.world.sleep(each)
  }
}

/** What is under way when the backup is made. */
async function beginChanges(stage: Stage, tenant: User): Promise<void> {
  const life = { name: halfway, tenant: 'tenant-0', source: 'machine' } as const
  await tenant.insists('replace', askFor({ ...life, steps: [{ type: 'change', key: keys[0]!, after: 0 }] }, 0)!)
  const isLaunched = () => successorOf(stage)?.status.backendId !== undefined
  await until(stage, 'there is a successor', isLaunched, millis(20))
  await tenant.insists('delete', deletion({ tenant: 'tenant-0', name: leaving }))
  const isThere = () => instanceOf(stage, leaving)?.deletedAt !== undefined
  if (!isThere() || !successorOf(stage)) throw new Error('it is over already')
}

const successorOf = (stage: Stage): Server | undefined =>
  known<Server>(stage.ledger, servers).find(({ id }) => id === instanceOf(stage, halfway)!.status.slots.next)

interface Found {
  readonly made: string
  readonly successor: string
  readonly foreign: string
  readonly mistake: string
}

/** What the store has forgotten: all that was done between the backup and its restore. */
function moveOn(stage: Stage, { servers: watch }: Watchman): Found {
  watch.mayEnd(forgottenServer(mistake))
  for (const name of [deleted, replaced, halfway, leaving]) {
    const real = realOf(stage, name)
    watch.mayEnd(real.tags[ownTags.serverId]!)
    real.terminate()
  }
  realOf(stage, stopped).stop(true)
  const { spec, ...server } = realOf(stage, resized)
  const large = { ...spec, source: { ...spec.source, flavor: 'large' } as LaunchSpec['source'] }
  stage.cloud.account().server(server.id).change(large, false)
  const others = launch(stage, { name: 'handmade', tags: { Name: 'handmade' } })
  return {
    made: launch(stage, forgotten(stage, made)),
    successor: launch(stage, forgotten(stage, replaced)),
    foreign: others,
    mistake: launch(stage, forgotten(stage, mistake)),
  }
}

const forgottenServer = (name: string): string => `srv_forgotten-${name}`

interface Launched {
  readonly name: string
  readonly tags: Tags
}

function forgotten(stage: Stage, name: string): Launched {
  const owner = { controlPlane: 'store_simulated', region: stage.region }
  const instanceId = instanceOf(stage, name)?.id ?? 'inst_forgotten'
  const tags = { ...serverTags(owner, forgottenServer(name)), [ownTags.instanceId]: instanceId }
  return { name: `${name}-forgotten`, tags }
}

function launch({ cloud }: Stage, { name, tags }: Launched): string {
  const source = { type: 'machine', flavor: 'small', image: 'minimal' } as const
  const spec: LaunchSpec = { name, power: 'on', source, tags }
  return cloud.account().launch({ spec, tags, name, token: createToken(name), fingerprint: '' }).id
}

function isReported(stage: Stage): boolean {
  const tells = (name: string, type: string) =>
    findCondition(instanceOf(stage, name)!.status.conditions, type)?.status === 'true'
  return (
    known(stage.ledger, Orphan.kind).length === 3 &&
    [deleted, replaced, halfway].every(name => tells(name, 'Trouble')) &&
    [stopped, resized].every(name => tells(name, 'Drift')) &&
    (instanceOf(stage, kept)!.status.conditions ?? []).length === 0
  )
}

/** At the door, while the store still only observes. */
async function putRight(user: User, found: Found): Promise<void> {
  const inProject = { as: operator, params: { project: 'tenant-0' } }
  const adopt = (backendId: string, into: { readonly name: string } | { readonly instance: string }) =>
    user.insists('adopt', {
      ...{ ...inProject, route: 'POST /v1/projects/:project/instances/adopt', key: `adopt ${backendId}` },
      body: { region: 'simulated', backendId, ...into },
    })
  await adopt(found.made, { name: made })
  await adopt(found.foreign, { name: foreign })
  await adopt(found.successor, { instance: replaced })
  await user.insists('reap', {
    ...{ as: operator, route: 'POST /v1/regions/:region/orphans/:orphan/reap' },
    params: { region: 'simulated', orphan: found.mistake },
  })
  const about = (instance: string) => ({ ...inProject, params: { project: 'tenant-0', instance } })
  const one = '/v1/projects/:project/instances/:instance'
  await user.insists('delete', deletion({ tenant: 'tenant-0', name: deleted }))
  await user.insists('stop', { ...about(stopped), route: `POST ${one}/stop`, key: 'stop' })
}

/** All is in order again: what ran runs on as it was, and nothing else is there. */
function isSettled(stage: Stage): boolean {
  const { ledger, cloud } = stage
  cloud.clockwork.advance()
  const here = instancesIn(stage)
  const counts = [here, known(ledger, servers), liveIn(cloud), known(ledger, allocations)]
  if (counts.some(({ length }) => length !== 7)) return false
  if (known(ledger, operations).length > 0 || known(ledger, Orphan.kind).length > 0) return false
  return here.every(({ name, status }) => {
    const isOn = name !== stopped
    return status.phase === (isOn ? 'running' : 'stopped') && status.ready === isOn && status.operation === null
  })
}

/** What is left in the end, without what may differ. */
function endState(stage: Stage, there: ReadonlySet<string>): string {
  const { ledger, cloud } = stage
  const left = instancesIn(stage).map(({ id, name, status: { phase, ready, slots } }) => {
    const server = known<Server>(ledger, servers).find(each => each.id === slots.active)
    const real = liveIn(cloud).find(each => each.id === server?.status.backendId)
    // What was not restarted has booted once.
    const isTagged = real?.tags[ownTags.instanceId] === id
    const isTheSame = there.has(real?.id ?? '')
    return { name, phase, ready, isTheSame, boots: real?.boots, flavor: server?.status.observed?.flavor, isTagged }
  })
  return canonicalJson({
    instances: left.sort((a, b) => (a.name! < b.name! ? -1 : 1)),
    slots: [...ledger.keys.keys()].filter(key => key.startsWith(slotKeyPrefix)).length,
    adopted: [...ledger.keys.keys()].filter(key => key.startsWith(backendKeyPrefix)).length,
  })
}
