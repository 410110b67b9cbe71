import { changeSet, type Sealer } from '@stead/engine'
import { onKey } from '../door/conflicts.ts'
import { listQuery, listReply } from '../door/list.ts'
import { created, ok } from '../door/replies.ts'
import { type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import { listSchema } from '../resource/model.ts'
import { Type } from '../schema/type.ts'
import { concludeDelete } from '../teardown/delete.ts'
import type { Whole } from '../teardown/model.ts'
import type { RegionCatalogs } from './catalog/catalogs.ts'
import type { RegionClients } from './clients.ts'
import { moveDefault, platformDefault } from './default.ts'
import { draftRegion } from './draft.ts'
import { Region, RegionWrite, ShownRegion } from './model.ts'
import { regionsAsSeenBy } from './present.ts'
import { isOpenTo, isSeenBy, regionSeenBy } from './visibility.ts'
import { readChange, readNew, sealCredentials } from './write.ts'

export interface RegionRoutesOptions {
  readonly whole: Whole
  readonly clients: RegionClients
  readonly catalogs: RegionCatalogs
  readonly sealer: Sealer
}

const ShownRegions = listSchema(ShownRegion, { title: 'RegionList' })
const one = '/v1/regions/:region'
const target = { kind: Region.kind }

export const regionRoutes = ({ whole, clients, catalogs, sealer }: RegionRoutesOptions): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/regions',
    summary: 'Register a region',
    description: [
      'Its provider checks configuration and credentials by their form; whether they work is seen by its health.',
      'Credentials are sealed and never shown again. The first region that every organization may use becomes the default.',
    ].join(' '),
    scope: 'platform',
    permission: 'regions:create',
    body: RegionWrite,
    replies: { 201: ShownRegion },
    examples: { body: { name: 'here', spec: { provider: 'local' } } },
    conflicts: [onKey('region-name/', () => fail('name_taken', 'a region of this name exists'))],
    handle({ body, caller }, { world, everything, conclude }) {
      const fields = readNew(body, { clients, everything })
      const { set, region } = draftRegion(fields, { world, everything, sealer, caller })
      return conclude(set, outcome => created(regionsAsSeenBy(caller, catalogs), outcome.object(region)))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/regions',
    summary: 'List the regions that the caller’s organizations may use',
    scope: 'platform',
    permission: 'authenticated',
    query: listQuery({}),
    replies: { 200: ShownRegions },
    handle: ({ caller, objects, place, query }) =>
      listReply({
        ...{ objects, place, query, resource: regionsAsSeenBy(caller, catalogs) },
        only: { where: region => isSeenBy(region, caller) },
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/projects/:project/regions',
    summary: 'List the regions that a project may use',
    scope: 'project',
    permission: 'regions:read',
    query: listQuery({}),
    replies: { 200: ShownRegions },
    handle({ caller, place, query }, { everything }) {
      const { organizationId } = place as Extract<typeof place, { type: 'project' }>
      return listReply({
        ...{ objects: everything, place, query, resource: regionsAsSeenBy(caller, catalogs) },
        only: { where: region => isOpenTo(region, organizationId) },
      })
    },
  }),
  route({
    method: 'GET',
    path: one,
    summary: 'Read a region',
    scope: 'platform',
    permission: 'authenticated',
    params: Type.Object({ region: Type.String() }),
    replies: { 200: ShownRegion },
    handle: ({ params, caller }, { everything }) =>
      ok(regionsAsSeenBy(caller, catalogs), regionSeenBy(everything, caller, params.region)),
  }),
  route({
    method: 'PATCH',
    path: one,
    summary: 'Change a region: its mode, configuration, credentials, or who may use it',
    description: 'Credentials as they were read mean that they do not change; any others replace all of them.',
    scope: 'platform',
    permission: 'regions:update',
    target,
    body: Region.patch,
    replies: { 200: ShownRegion },
    handle({ target, body, caller }, { world, everything, conclude }) {
      const { after, credentials } = readChange(target, body, { clients, everything })
      const { changes, changed: _, ...fields } = after
      const shown = regionsAsSeenBy(caller, catalogs)
      const set = changeSet(world)
      const spec = credentials
        ? sealCredentials(set, sealer, { region: target, spec: fields.spec, credentials })
        : fields.spec
      const isSame = spec.credentials?.sealed === target.spec.credentials?.sealed
      if (changes.length === 0 && isSame) return ok(shown, target)
      const { displayName: _displayName, generation: _generation, revision, ...rest } = target
      const to = { ...rest, ...fields, spec }
      set.expectRevision(target, revision).puts.push(to)
      return conclude(set, outcome => ok(shown, outcome.object(to)))
    },
  }),
  route({
    method: 'POST',
    path: `${one}/make-default`,
    summary: 'Make a region the one that is meant where none is named',
    scope: 'platform',
    permission: 'regions:update',
    target,
    replies: { 200: ShownRegion },
    handle({ target, caller }, { world, everything, conclude }) {
      const shown = regionsAsSeenBy(caller, catalogs)
      if (platformDefault(everything)?.id === target.id) return ok(shown, target)
      if (target.deletedAt !== undefined) throw fail('invalid_state', 'this region is being deleted')
      const set = changeSet(world)
      const to = moveDefault(set, everything, target)
      return conclude(set, outcome => ok(shown, outcome.object(to)))
    },
  }),
  route({
    method: 'DELETE',
    path: one,
    summary: 'Delete a region; refused with `in_use` while anything is in it',
    description: 'What is in its backend is not touched, and what Stead runs there must be ended first.',
    scope: 'platform',
    permission: 'regions:delete',
    target,
    replies: { 202: ShownRegion },
    handle: ({ target, caller }, services) =>
      concludeDelete(services, { whole, resource: regionsAsSeenBy(caller, catalogs) }, { target, caller, query: {} }),
  }),
]
