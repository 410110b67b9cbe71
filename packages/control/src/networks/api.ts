import type { Store } from '@stead/engine'
import { onKey } from '../door/conflicts.ts'
import { find, theOne } from '../door/find.ts'
import { type Request, type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { appendEvent } from '../events/model.ts'
import type { Place } from '../identity/caller.ts'
import { asked } from '../realised/model.ts'
import { assertCan } from '../regions/capable.ts'
import type { RegionClients } from '../regions/clients.ts'
import { regionFor } from '../regions/default.ts'
import { inRegions } from '../regions/in-regions.ts'
import { assertTakesNew } from '../regions/modes.ts'
import { concludeCreate } from '../resource/conclude.ts'
import { projectNounRoutes } from '../resource/project-routes.ts'
import { written } from '../resource/write.ts'
import { placeObjects } from '../teardown/building.ts'
import type { Whole } from '../teardown/model.ts'
import { holderOf } from './address-plan.ts'
import { cidrFault, readCidr } from './cidr.ts'
import { networkBesides } from './create.ts'
import { Network, NetworkWrite, NetworkWriteSpec, networksByRegion } from './model.ts'

export interface NetworkRoutesOptions {
  readonly whole: Whole
  readonly clients: RegionClients
  readonly store: Pick<Store, 'records'>
}

export const networkRoutes = ({ whole, clients, store }: NetworkRoutesOptions): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/projects/:project/networks',
    summary: 'Create a network',
    description: [
      'It is made in its region soon after: `status.state` says when it is ready, or why it cannot be.',
      'Refused with `unsupported` where the region has no networks.',
    ].join(' '),
    scope: 'project',
    permission: 'networks:create',
    body: NetworkWrite,
    replies: { 201: Network.schema },
    examples: { body: { name: 'n1', spec: { region: 'qemu', cidr: '10.20.0.0/24' } } },
    conflicts: [onKey('network-name/', () => fail('name_taken', 'the project has a network of this name'))],
    async handle({ body, caller, place }, services) {
      const { world, everything } = services
      const fields = written({ spec: NetworkWriteSpec }, body)
      const { region: named, cidr } = fields.spec
      assertCidr(cidr)
      const region = regionFor(everything, place as Place & { type: 'project' }, named)
      assertTakesNew(region)
      await assertCan(region, 'networks', clients)
      const spec = { region: region.id, cidr }
      const draft = Network.draft({ world, place, caller, ...fields, spec, status: asked })
      const holder = holderOf(everything, draft)
      if (holder) {
        // Who may make networks and not read them is not told what there is.
        const isSeen = caller.may('networks:read', place)
        const message = isSeen ? `overlaps with ${holder.spec.cidr} of network ${holder.name}` : 'is taken in part'
        throw fail('invalid', `${cidr} ${message}, in the same project and region`, {
          errors: [{ path: '/spec/cidr', message }],
          ...(isSeen && { extensions: { network: holder.id } }),
        })
      }
      return concludeCreate(services, Network, draft, set => {
        networkBesides(set, everything, { draft, on: [...placeObjects(everything, place), region] })
        appendEvent(set, draft, { reason: 'Created', message: `asked for by ${caller.displayName}` })
      })
    },
  }),
  ...projectNounRoutes({
    ...{ resource: Network, whole, store, one: 'a network', param: 'network' },
    changes: 'the labels or the display name',
    endsAfter: 'something is attached to it, or it has security groups',
    ...inRegions(networksByRegion),
  }),
]

/** Smaller ones have no room for a machine beside what networks keep for themselves; larger ones nobody can have meant. */
const widest = 8
const narrowest = 29

function assertCidr(text: string): void {
  const fault = cidrFault(text) ?? prefixFault(readCidr(text)!.prefix)
  if (fault === undefined) return
  throw fail('invalid', `${JSON.stringify(text)} ${fault}`, { errors: [{ path: '/spec/cidr', message: fault }] })
}

const prefixFault = (prefix: number): string | undefined =>
  prefix < widest || prefix > narrowest ? `must be between /${widest} and /${narrowest}` : undefined

/** The network that an id or a name means to a caller in a project. What they may not read does not exist. */
export function networkMeant(text: string, { caller, objects, place }: Pick<Request, 'caller' | 'objects' | 'place'>) {
  return caller.may('networks:read', place)
    ? find(objects, Network.kind, text)
    : theOne<Network>(Network.kind, text, [])
}
