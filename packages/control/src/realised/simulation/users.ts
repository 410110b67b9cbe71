import { type ChangeSet, type Conflict, changeSet, UnavailableError, type View } from '@stead/engine'
import type { Stage } from '@stead/engine/simulation'
import { millis, type World } from '@stead/world'
import { imageBesides } from '../../images/create.ts'
import { Image } from '../../images/model.ts'
import { networkBesides } from '../../networks/create.ts'
import { Network } from '../../networks/model.ts'
import { Region, regionName } from '../../regions/model.ts'
import { ofNetwork, securityGroupBesides } from '../../security-groups/create.ts'
import { type Rule, SecurityGroup } from '../../security-groups/model.ts'
import { asked, type Realised } from '../model.ts'

/** One thing a user wants, after having waited this long. */
export type Step = { readonly after: number } & (
  | { readonly type: 'network'; readonly id: string; readonly cidr: string }
  | { readonly type: 'group'; readonly id: string; readonly network: string; readonly port: number }
  | { readonly type: 'image'; readonly id: string }
  | { readonly type: 'change'; readonly id: string; readonly port: number }
  | { readonly type: 'delete'; readonly id: string }
  | { readonly type: 'mode'; readonly mode: Region['spec']['mode'] }
)

/** Each line is what one user does, one thing after the other. */
export type Plan = readonly (readonly Step[])[]

export const regionId = 'reg_1'
export const payer = { organizationId: 'org_1', projectId: 'prj_1' }

/** Held for ever: a create that comes late, when what it made is gone again, makes no second one. */
export const requestPrefix = 'request/'

const rule = (port: number): Rule => ({ direction: 'ingress', protocol: 'tcp', port, cidr: '0.0.0.0/0' })

/** Everything users do. Each insists on its next step until it has succeeded. */
export async function runUsers({ world, requests }: Pick<Stage, 'world' | 'requests'>, plan: Plan): Promise<void> {
  const known = await requests.insist({
    ...{ who: 'operator', what: 'set up', known: 0 },
    changes: () => setUp(world),
    isDone: conflict => conflict.type === 'absent',
  })
  const live = async (steps: readonly Step[], user: number) => {
    let newest = known
    for (const step of steps) {
      await world.sleep(millis(step.after))
      newest = await requests.insist({
        ...{ who: `user ${user}`, what: step.type, known: newest },
        changes: ({ engine }) => changesFor(step, engine.cache.platform(), world),
        isDone: conflict => isOwn(conflict, step),
      })
    }
  }
  await Promise.all(plan.map(live))
}

/** It is there, or was: what stands in the way is what an earlier sending made. */
const isOwn = (conflict: Conflict, step: Step): boolean =>
  'id' in step &&
  ((conflict.type === 'absent' && conflict.ref.id === step.id) ||
    (conflict.type === 'key' && conflict.key === requestPrefix + step.id))

const base = (world: World) => ({ labels: {}, finalizers: [], createdAt: world.now() })

const setUp = (world: World): ChangeSet =>
  changeSet(world)
    .create<Region['spec'], Region['status']>({
      ...{ kind: Region.kind, id: regionId, name: 'sky', ...base(world) },
      spec: { provider: 'simulated', configuration: {}, mode: 'active' },
      status: { health: 'healthy', sources: [], capabilities: [], notes: [] },
    })
    .take(regionName('sky'), regionId)

/** What a step still needs. What is gone needs nothing any more. */
function changesFor(step: Step, everything: View, world: World): ChangeSet | undefined {
  const set = changeSet(world)
  switch (step.type) {
    case 'network': {
      const { id, cidr } = step
      const spec = { region: regionId, cidr }
      const draft = { kind: Network.kind, id, name: nameOf(id), ...payer, ...base(world), spec, status: asked }
      networkBesides(set.create(draft).take(requestPrefix + id, id), everything, { draft, on: [] })
      return set
    }
    case 'group': {
      const network = everything.get<Network>(Network.kind, step.network)
      // A create that was answered by "exists already" says nothing of when that was: this node may not have read it yet.
      if (!network) throw new UnavailableError(`${step.network} is not here yet`)
      const spec = { network: network.id, rules: [rule(step.port)] }
      const { id } = step
      const own = { kind: SecurityGroup.kind, id, name: nameOf(id), ...payer, ...base(world), spec, status: asked }
      const draft = ofNetwork(own, network)
      securityGroupBesides(set.create(draft).take(requestPrefix + id, id), { draft, on: [network] })
      return set
    }
    case 'image': {
      const { id } = step
      const spec = { region: regionId, source: { url: 'https://images.example/one' } }
      const draft = { kind: Image.kind, id, name: nameOf(id), ...payer, ...base(world), spec, status: asked }
      imageBesides(set.create(draft).take(requestPrefix + id, id), everything, { draft, on: [] })
      return set
    }
    case 'change': {
      const group = everything.get<SecurityGroup>(SecurityGroup.kind, step.id)
      if (!group || group.spec.rules[0]?.port === step.port) return undefined
      return set.update(group, { spec: { ...group.spec, rules: [rule(step.port)] } })
    }
    case 'delete': {
      const object = everything.get<Realised>(kindOfId(step.id), step.id)
      if (!object || object.deletedAt !== undefined) return undefined
      return set.update(object, { deletedAt: world.now(), status: { ...object.status, cascade: true } })
    }
    case 'mode': {
      const region = everything.get<Region>(Region.kind, regionId)
      if (!region) throw new UnavailableError(`${regionId} is not here yet`)
      return region.spec.mode === step.mode
        ? undefined
        : set.update(region, { spec: { ...region.spec, mode: step.mode } })
    }
  }
}

const kinds: Readonly<Record<string, string>> = { net: Network.kind, sg: SecurityGroup.kind, img: Image.kind }
const kindOfId = (id: string) => kinds[id.split('_', 1)[0]!]!

const nameOf = (id: string) => id.replace('_', '-')
