import { type ChangeSet, changeSet, UnavailableError, type View } from '@stead/engine'
import { millis, type World } from '@stead/world'
import type { Services } from '../../door/services.ts'
import { nobody } from '../../identity/caller.ts'
import { openOperations, startOperation } from '../../operations/lifecycle.ts'
import { charge } from '../../quotas/charge.ts'
import type { ControlStage } from '../../simulation/index.ts'
import { type Acceptance, accept } from '../api/accept.ts'
import { firstStatus, type Instance, type InstanceSpec, instanceName, instances } from '../model.ts'
import { exclusive, operationSteps } from '../operations.ts'
import { flavors, images, type Life, type Plan, type Step } from './plan.ts'

type Outside = Pick<ControlStage, 'world' | 'requests' | 'setUp' | 'region'>

/** Lets every tenant live its lives, and has all of them see to it that what they want is so in the end. */
export async function runUsers(outside: Outside, plan: Plan): Promise<void> {
  const known = await outside.setUp()
  await Promise.all(plan.map(life => live(outside, life, known)))
}

async function live({ world, requests, region }: Outside, life: Life, start: number): Promise<void> {
  let known = start
  const ask = async (what: string, changes: (situation: Situation) => ChangeSet | undefined) => {
    const revision = await requests.insist({
      who: life.id,
      what,
      known,
      changes({ engine }) {
        const cache = engine.cache.platform()
        const instance = cache.get(instances, life.id)
        if (instance) known = Math.max(known, engine.cache.revision)
        return changes({ cache, world, instance, region, life })
      },
      isDone: () => false,
    })
    known = Math.max(known, revision)
  }
  for (const step of life.steps) {
    await world.sleep(millis(step.after))
    await ask(step.type, situation => changesFor(step, situation))
  }
  await ask('see to it', seeToIt)
}

interface Situation {
  readonly cache: View
  readonly world: World
  readonly instance: Instance | undefined
  readonly region: string
  readonly life: Life
}

/** What was given up is tried again until it is so: somebody wants it. */
function seeToIt({ instance, ...situation }: Situation): ChangeSet | undefined {
  if (!instance || instance.deletedAt !== undefined) return undefined
  const { change } = instance.status
  if (!change) return undefined
  if (!change.failed) throw new UnavailableError('it is under way')
  const { failed: _, ...agreed } = change
  const again = { ...agreed, generation: instance.generation }
  return accepted({ ...situation, instance }, { type: 'replace', status: { change: again }, what: 'once more' })
}

/** What the door would commit, by the same words. */
function accepted({ cache, world, instance }: Situation, acceptance: Acceptance): ChangeSet {
  let set: ChangeSet | undefined
  const services = {
    world,
    everything: cache,
    conclude: async (concluded: ChangeSet) => {
      set = concluded
      return { status: 202 }
    },
  } as unknown as Services
  void accept(services, { target: instance!, caller: nobody, traceId: 'simulated' }, acceptance)
  return set!
}

const sourceOf = ({ source }: Life): InstanceSpec['source'] =>
  source === 'machine'
    ? { machine: { flavor: flavors[0], image: images[0] } }
    : { services: { kind: 'deployment', services: { web: { image: images[0], command: ['serve'] } } } }

function changesFor(step: Step, situation: Situation): ChangeSet | undefined {
  const { instance, cache } = situation
  if (step.type === 'create') return instance ? undefined : creation(situation)
  if (!instance || instance.deletedAt !== undefined) return undefined
  if (step.type === 'delete') return accepted(situation, { type: 'delete', deletes: true, what: 'it was to go' })
  if (exclusive(openOperations(cache, instance))) throw new UnavailableError('a replacement is under way')
  const acceptance = acceptanceFor(step, instance)
  return acceptance && accepted(situation, acceptance)
}

function acceptanceFor(step: Step, { spec, status, labels, generation }: Instance): Acceptance | undefined {
  const { change: _, ...rest } = status
  switch (step.type) {
    case 'power':
      if ((spec.power ?? 'on') === step.power) return undefined
      return { type: step.power === 'on' ? 'start' : 'stop', spec: { ...spec, power: step.power }, what: step.power }
    case 'restart':
      return status.phase === 'running'
        ? { type: 'restart', status: { restart: { hard: false } }, what: 'restart' }
        : undefined
    case 'suspend':
      return { type: 'suspend', status: { suspended: { since: status.phaseSince, reason: 'unpaid' } }, what: 'unpaid' }
    case 'unsuspend':
      return { type: 'unsuspend', status: { suspended: null }, what: 'paid' }
    case 'label':
      return { type: 'update', labels: { ...labels, own: step.label }, what: 'label' }
    case 'change': {
      const source = changedSource(spec.source, step)
      if (JSON.stringify(source) === JSON.stringify(spec.source) && !status.change) return undefined
      const consent = { generation: generation + 1, effect: 'replace', amounts: { instances: 1 } } as const
      const type = step.image === undefined ? 'update' : source.machine ? 'rebuild' : 'replace'
      // Where it says the same again, the generation stays.
      const isSame = JSON.stringify(source) === JSON.stringify(spec.source)
      const change = isSame ? { ...consent, generation } : consent
      return { type, spec: { ...spec, source }, status: { ...rest, change }, what: 'change' }
    }
    default:
      return undefined
  }
}

function changedSource(
  source: InstanceSpec['source'],
  { flavor, image }: Extract<Step, { type: 'change' }>,
): InstanceSpec['source'] {
  const { machine, services } = source
  if (machine) return { machine: { ...machine, ...(flavor && { flavor }), ...(image && { image }) } }
  const { web } = services!.services
  return { services: { ...services!, services: { web: { ...web!, ...(image && { image }) } } } }
}

function creation({ cache, world, region, life }: Situation): ChangeSet {
  const set = changeSet(world)
  const now = world.now()
  const subject = {
    kind: instances as string,
    id: life.id,
    name: life.id,
    organizationId: 'org_sim',
    projectId: life.tenant,
  }
  const operation = startOperation(set, world, { subject, type: 'create', steps: operationSteps.create })
  const spec: InstanceSpec = { region, source: sourceOf(life), onServerLoss: 'recreate' }
  const status = { ...firstStatus(now), operation: { id: operation.id, type: 'create', startedAt: now } }
  const draft = { ...subject, labels: {}, finalizers: [], createdAt: now, spec, status }
  // Held for ever: a create that was sent twice and comes late must not make again what is gone.
  set.create(draft).take(instanceName(draft), life.id).take(`request/${life.id}`, life.id)
  charge(set, cache, { organization: 'org_sim', project: life.tenant, for: draft, amounts: { instances: 1 }, at: now })
  return set
}
