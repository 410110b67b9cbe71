import { isDeepStrictEqual } from 'node:util'
import type { Asked } from '../../simulation/index.ts'
import { flavors, images, type Life, type Step, waysToPry } from './plan.ts'
import { usesOf } from './secret.ts'
import { operator, tenantCaller } from './tenants.ts'

/** What is asked for a step, but for who knows what by then. */
export type Ask = Omit<Asked, 'known'>

const collection = '/v1/projects/:project/instances'
const one = `${collection}/:instance`

/** What services use, so that more than instances is counted. */
const resources = { cpuMillis: 250, memoryMiB: 256 }

function sourceOf(life: Life) {
  if (life.source === 'machine')
    return { machine: { flavor: flavors[0], image: images[0], ...(life.keeps && { keepAddresses: true }) } }
  return { services: { services: { web: { image: images[0], command: ['serve'], secrets: usesOf(life), resources } } } }
}

/** Whether a life is suspended when its step of this number comes. */
const isSuspended = ({ steps }: Life, number: number): boolean =>
  steps.slice(0, number).findLast(({ type }) => type === 'suspend' || type === 'unsuspend')?.type === 'suspend'

/** The request that a step is; undefined for those that are not made at the door of instances. */
export function askFor(life: Life, number: number): Ask | undefined {
  const step = life.steps[number]!
  const { name, tenant } = life
  const theirs = { as: tenantCaller(tenant), params: { project: tenant, instance: name } }
  const key = `${name}/${number}`
  const verb = (verb: string, body?: object) => ({ ...theirs, route: `POST ${one}/${verb}`, key, body })
  const patch = (body: object) => ({ ...theirs, route: `PATCH ${one}`, body })
  switch (step.type) {
    case 'create': {
      const spec = { region: 'simulated', source: sourceOf(life), onServerLoss: 'recreate' }
      return { ...theirs, route: `POST ${collection}`, params: { project: tenant }, key, body: { name, spec } }
    }
    case 'power':
      // Who is suspended may say what they want afterwards, and not start it now.
      if (isSuspended(life, number) || number % 2 === 0) return patch({ spec: { power: step.power } })
      return verb(step.power === 'on' ? 'start' : 'stop')
    case 'restart':
      return isSuspended(life, number) ? undefined : verb('restart', {})
    case 'suspend':
      return { ...verb('suspend', { reason: 'unpaid' }), as: operator }
    case 'unsuspend':
      return { ...verb('unsuspend'), as: operator }
    case 'label':
      return patch({ labels: { own: step.label } })
    case 'change':
      return { ...patch({ spec: { source: changedSource(life, step) } }), ...(!step.asks && agreed('replace')) }
    case 'keep':
      return patch({ spec: { source: { machine: { keepAddresses: step.keep } } } })
    case 'delete':
      return deletion(life)
    default:
      return undefined
  }
}

function changedSource({ source }: Life, { flavor, image, key }: Extract<Step, { type: 'change' }>): object {
  if (source === 'machine')
    return { machine: { ...(flavor && { flavor }), ...(image && { image }), ...(key && { sshKeys: [key] }) } }
  return { services: { services: { web: { image } } } }
}

/** The end of an instance. */
export const deletion = ({ tenant, name }: Pick<Life, 'tenant' | 'name'>): Ask => ({
  ...{ as: tenantCaller(tenant), params: { project: tenant, instance: name }, route: `DELETE ${one}` },
})

/** Whoever sends this agrees to so much. */
export const agreed = (allow: string): Pick<Ask, 'query'> => ({ query: { allow } })

/** What was given up is tried again. */
export const onceMore = ({ tenant, name }: Life): Ask => ({
  ...{ as: tenantCaller(tenant), params: { project: tenant, instance: name } },
  ...{ route: `PATCH ${one}`, body: {}, ...agreed('replace') },
})

/** Takes what is in the cloud already. */
export const adoption = ({ tenant, name }: Life, { backendId, key }: { backendId: string; key: string }): Ask => ({
  ...{ as: tenantCaller(tenant), params: { project: tenant }, route: `POST ${collection}/adopt`, key },
  body: { region: 'simulated', backendId, name, labels: {}, spec: { power: 'on', onServerLoss: 'recreate' } },
})

/** Ways to reach for what is another tenant's. None of them may lead anywhere. */
export function prying({ tenant }: Life, way: number, theirs: { readonly project: string; readonly id: string }): Ask {
  const as = tenantCaller(tenant)
  const inside = { project: tenant, instance: theirs.id }
  const outside = { project: theirs.project, instance: theirs.id }
  const ways: readonly Ask[] = [
    { as, route: `GET ${one}`, params: inside },
    { as, route: `DELETE ${one}`, params: inside },
    { as, route: `DELETE ${one}`, params: outside },
    { as, route: `GET ${collection}`, params: { project: theirs.project } },
    ...[inside, outside].flatMap(params => [
      { as, route: `PATCH ${one}`, params, body: { labels: { pried: 'yes' } }, ...agreed('replace') },
      { as, route: `POST ${one}/stop`, params, key: `pry ${theirs.id} ${way}` },
    ]),
  ]
  if (ways.length !== waysToPry) throw new Error(`there are ${ways.length} ways`)
  return ways[way]!
}

/** Sets all limits of a place. */
export const limiting = (place: string, isOrganization: boolean, limits: object): Ask => {
  const scope = isOrganization ? 'organization' : 'project'
  return { as: operator, route: `PUT /v1/${scope}s/:${scope}/quotas`, params: { [scope]: place }, body: { limits } }
}

/** Whether two answers tell of the same instance and the same operation. */
export const isSameAnswer = (a: AnswerBody, b: AnswerBody): boolean =>
  a.metadata.id === b.metadata.id && isDeepStrictEqual(a.operation, b.operation)

interface AnswerBody {
  readonly metadata: { readonly id: string }
  readonly operation?: object
}
