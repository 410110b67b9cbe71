import type { Store } from '@stead/engine'
import { onKey } from '../door/conflicts.ts'
import { lookUp } from '../door/find.ts'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { appendEvent } from '../events/model.ts'
import { networkMeant } from '../networks/api.ts'
import { Network } from '../networks/model.ts'
import { asked } from '../realised/model.ts'
import { assertCan } from '../regions/capable.ts'
import type { RegionClients } from '../regions/clients.ts'
import { Region } from '../regions/model.ts'
import { assertTakesNew } from '../regions/modes.ts'
import { concludeCreate } from '../resource/conclude.ts'
import { projectNounRoutes } from '../resource/project-routes.ts'
import { written } from '../resource/write.ts'
import { Type } from '../schema/type.ts'
import { placeObjects } from '../teardown/building.ts'
import type { Whole } from '../teardown/model.ts'
import { ofNetwork, securityGroupBesides } from './create.ts'
import { SecurityGroup } from './model.ts'
import { assertRules } from './rules.ts'

export interface SecurityGroupRoutesOptions {
  readonly whole: Whole
  readonly clients: RegionClients
  readonly store: Pick<Store, 'records'>
}

export const securityGroupRoutes = ({ whole, clients, store }: SecurityGroupRoutesOptions): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/projects/:project/security-groups',
    summary: 'Create a security group of a network',
    description: [
      'What no rule allows is refused: a machine with groups lets in only what they say.',
      'Refused with `unsupported` where the region of the network cannot enforce them.',
    ].join(' '),
    scope: 'project',
    permission: 'security-groups:create',
    body: SecurityGroup.write,
    replies: { 201: SecurityGroup.schema },
    examples: {
      body: {
        name: 'web',
        spec: { network: 'n1', rules: [{ direction: 'ingress', protocol: 'tcp', port: 22, cidr: '0.0.0.0/0' }] },
      },
    },
    conflicts: [
      onKey('security-group-name/', () => fail('name_taken', 'the project has a security group of this name')),
    ],
    async handle(request, services) {
      const { body, caller, place } = request
      const { world, everything } = services
      const fields = written(SecurityGroup, body)
      assertRules(fields.spec.rules)
      const network = networkMeant(fields.spec.network, request)
      const region = everything.get<Region>(Region.kind, network.spec.region)
      if (!region) throw fail('invalid_state', `the region of network ${network.name} is gone`)
      assertTakesNew(region)
      await assertCan(region, 'securityGroups', clients)
      const spec = { ...fields.spec, network: network.id }
      const draft = ofNetwork(SecurityGroup.draft({ world, place, caller, ...fields, spec, status: asked }), network)
      return concludeCreate(services, SecurityGroup, draft, set => {
        securityGroupBesides(set, { draft, on: [...placeObjects(everything, place), network] })
        appendEvent(set, draft, { reason: 'Created', message: `asked for by ${caller.displayName}` })
      })
    },
  }),
  ...projectNounRoutes({
    ...{ resource: SecurityGroup, whole, store, one: 'a security group', param: 'securityGroup' },
    changes: 'the rules, the labels or the display name',
    endsAfter: 'something has it',
    filters: { network: Type.Optional(Type.String({ description: 'Only those of this network, by id or by name.' })) },
    only({ network }, { objects }) {
      if (network === undefined) return undefined
      const [found] = lookUp(objects, Network.kind, network)
      return { owner: { kind: Network.kind, id: found?.id ?? network } }
    },
    resolve(body, { objects }) {
      const named = body.spec?.network
      const [found] = typeof named === 'string' ? lookUp(objects, Network.kind, named) : []
      return found ? { ...body, spec: { ...body.spec, network: found.id } } : body
    },
    check: ({ changed, spec }) => changed('/spec/rules') && assertRules(spec.rules),
  }),
]
