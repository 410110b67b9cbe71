import { findCondition, setCondition, type View } from '@stead/engine'
import { listQuery, listReply } from '../../door/list.ts'
import { accepted } from '../../door/replies.ts'
import { type Route, route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import type { RegionCatalogs } from '../../regions/catalog/catalogs.ts'
import { Region, ShownRegion } from '../../regions/model.ts'
import { regionsAsSeenBy } from '../../regions/present.ts'
import { resolveRegion } from '../../regions/visibility.ts'
import { concludeUpdate } from '../../resource/conclude.ts'
import { Type } from '../../schema/type.ts'
import { massLoss } from '../hold.ts'
import { Orphan, orphansByRegion } from './model.ts'

const region = '/v1/regions/:region'

/** What operators see and say of what is in a region and of nobody there. */
export const orphanRoutes = ({ catalogs }: { readonly catalogs: RegionCatalogs }): readonly Route[] => [
  route({
    method: 'GET',
    path: `${region}/orphans`,
    summary: 'List what is in a region with our tags and belongs to nothing here',
    description: [
      'Something is an orphan when its server is not known, or has another. It is reported after a while and left alone,',
      'but for what was surely meant to be gone: that is removed by itself when it has been seen for five minutes.',
    ].join(' '),
    scope: 'platform',
    permission: 'regions:update',
    target: { kind: Region.kind },
    query: listQuery({}),
    replies: { 200: Orphan.list },
    handle: ({ target, objects, place, query }) =>
      listReply({
        ...{ objects, place, query, resource: Orphan },
        only: { index: { name: orphansByRegion.name, key: target.id } },
      }),
  }),
  route({
    method: 'POST',
    path: `${region}/orphans/:orphan/reap`,
    summary: 'Say that an orphan is to go: it is ended in its region, with its disk',
    description:
      'By its id, or by what the backend calls it. It is gone from the list when it is gone from the region.',
    scope: 'platform',
    permission: 'regions:update',
    target: { kind: Orphan.kind, find: named },
    params: Type.Object({ region: Type.String() }),
    replies: { 202: Orphan.schema },
    async handle({ target, params, caller, place }, services) {
      const { id } = resolveRegion(services.everything, place, params.region)
      if (target.spec.region !== id) throw fail('not_found', 'there is no such orphan in this region')
      if (target.spec.reap) return accepted(Orphan, target)
      const { generation: _generation, revision: _revision, ...rest } = target
      const to = { ...rest, spec: { ...target.spec, reap: { by: caller.principalId } } }
      return concludeUpdate(services, Orphan, { from: target, to, reply: accepted })
    },
  }),
  route({
    method: 'POST',
    path: `${region}/accept-loss`,
    summary: 'Say that what looks gone in a region is gone',
    description: [
      'When at least 10 servers and more than a fifth of a region look gone at once, nothing is done there until they are',
      'back or somebody says this. Each is then asked for once more, and those that are gone follow `onServerLoss`.',
    ].join(' '),
    scope: 'platform',
    permission: 'regions:update',
    target: { kind: Region.kind },
    replies: { 202: ShownRegion },
    refuses: ['invalid_state'],
    async handle({ target, caller }, services) {
      const shown = regionsAsSeenBy(caller, catalogs)
      const { conditions } = target.status
      const standing = findCondition(conditions, massLoss)
      if (!standing) throw fail('invalid_state', 'nothing looks gone here that would have to be accepted')
      if (standing.status === 'false') return accepted(shown, target)
      const next = {
        type: massLoss,
        status: 'false',
        reason: 'Accepted',
        message: 'an operator accepts the loss',
      } as const
      const { generation: _generation, revision: _revision, ...rest } = target
      const status = { ...target.status, conditions: setCondition(conditions, next, services.world.now()) }
      return concludeUpdate(services, shown, { from: target, to: { ...rest, status }, reply: accepted })
    },
  }),
]

const named = (objects: View, text: string): readonly Orphan[] =>
  objects.list({ kind: Orphan.kind, where: ({ id, spec }) => id === text || spec.backendId === text }).items
