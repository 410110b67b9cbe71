import type { View } from '@stead/engine'
import { lookUp } from '../../door/find.ts'
import { listQuery, listReply } from '../../door/list.ts'
import { ok } from '../../door/replies.ts'
import { route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { eventsRoute } from '../../events/route.ts'
import { Network } from '../../networks/model.ts'
import { objectOperationsRoute } from '../../operations/api.ts'
import { Region } from '../../regions/model.ts'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { unseal } from '../../sealed/model.ts'
import { Instance, instances, networkOf } from '../model.ts'
import { phases } from '../transitions.ts'
import { collection, type InstanceRoutes, one, theInstance } from './room.ts'

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }))

const filters = {
  phase: Type.Optional(Type.Array(Type.Enum([...phases]), { description: 'Only those in one of these phases.' })),
  region: Text('Only those in this region, by id or name.'),
  provider: Text('Only those in regions of this kind of provider.'),
  network: Text('Only those on this network, by id or name.'),
}

interface Filters {
  readonly phase?: readonly string[]
  readonly region?: string
  readonly provider?: string
  readonly network?: string
}

export const readRoutes: InstanceRoutes = ({ store, sealer }) => [
  route({
    method: 'GET',
    path: collection,
    summary: 'List instances',
    scope: 'project',
    permission: 'instances:read',
    query: listQuery(filters),
    replies: { 200: Instance.list },
    handle({ objects, place, query }, { everything }) {
      const where = isAsked(query, objects, everything)
      return listReply({
        ...{ objects, place, query, resource: { kind: instances, present: Instance.present as never } },
        only: where ? { where } : {},
      })
    },
  }),
  route({
    method: 'GET',
    path: one,
    summary: 'Read an instance',
    scope: 'project',
    permission: 'instances:read',
    target: theInstance,
    replies: { 200: Instance.schema },
    handle: ({ target }) => ok(Instance, target),
  }),
  route({
    method: 'GET',
    path: `${one}/user-data`,
    summary: 'Read the user data of a machine, as it was given',
    scope: 'project',
    permission: 'instances:credentials',
    target: theInstance,
    replies: { 200: Type.Object({ userDataBase64: secret(Type.String()) }, { title: 'UserData' }) },
    async handle({ target }) {
      const sealed = target.spec.source.machine?.userData
      if (!sealed) throw fail('not_found', 'it has no user data')
      const content = await unseal({ store, sealer }, target, sealed)
      return { status: 200, body: { userDataBase64: Buffer.from(content).toString('base64') } }
    },
  }),
  eventsRoute({ path: `${one}/events`, scope: 'project', permission: 'instances:read', target: theInstance, store }),
  objectOperationsRoute({ path: `${one}/operations`, permission: 'instances:read', target: theInstance, store }),
]

/** Which instances a query means; undefined for all of them. */
function isAsked({ phase, region, provider, network }: Filters, objects: View, everything: View) {
  const regions = region === undefined ? undefined : idsOf(lookUp(everything, Region.kind, region))
  const networks = network === undefined ? undefined : idsOf(lookUp(objects, Network.kind, network))
  const tests = [
    phase && (({ status }: Instance) => phase.includes(status.phase)),
    regions && (({ spec }: Instance) => regions.has(spec.region)),
    networks && (({ spec }: Instance) => networks.has(networkOf(spec) ?? '')),
    provider !== undefined &&
      (({ spec }: Instance) => everything.get<Region>(Region.kind, spec.region)?.spec.provider === provider),
  ].filter(test => typeof test === 'function')
  return tests.length === 0 ? undefined : (instance: Instance) => tests.every(test => test(instance))
}

const idsOf = (found: readonly { readonly id: string }[]): ReadonlySet<string> => new Set(found.map(({ id }) => id))
