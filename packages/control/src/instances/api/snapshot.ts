import { changeSet } from '@stead/engine'
import { onKey } from '../../door/conflicts.ts'
import { listQuery, listReply } from '../../door/list.ts'
import { route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { appendEvent } from '../../events/model.ts'
import { imageBesides } from '../../images/create.ts'
import { Image, type ImageSpec, snapshotsByInstance } from '../../images/model.ts'
import { startOperation } from '../../operations/lifecycle.ts'
import { asked } from '../../realised/model.ts'
import { assertCan } from '../../regions/capable.ts'
import { flavorOnce } from '../../regions/catalog/catalog-of.ts'
import type { RegionCatalogs } from '../../regions/catalog/catalogs.ts'
import { Region } from '../../regions/model.ts'
import { Labels, Name } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'
import { placeObjects } from '../../teardown/building.ts'
import { diskOf } from '../fit.ts'
import type { Instance } from '../model.ts'
import { judgeSnapshot, refusalBy, verbView } from '../verbs.ts'
import { type InstanceRoutes, one, theInstance } from './room.ts'

const Snapshot = Type.Object(
  {
    name: Name,
    labels: Type.Optional(Labels),
    displayName: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: 'Snapshot' },
)

const Taken = Type.Object(
  { operation: Type.Object({ id: Type.String(), type: Type.String() }), image: Image.schema },
  { title: 'SnapshotAccepted' },
)

export const snapshotRoutes: InstanceRoutes = ({ catalogs, clients }) => [
  route({
    method: 'POST',
    path: `${one}/snapshot`,
    summary: 'Take a snapshot: an image in the region, of what is on its disk now',
    description: [
      'It is an image of the project, charged as one, and others can be launched from it once it is ready.',
      'Labels that begin with `stead.` are dropped: what it was taken of is in `spec.source`.',
    ].join(' '),
    scope: 'project',
    permission: 'instances:snapshot',
    target: theInstance,
    body: Snapshot,
    replies: { 202: Taken },
    refuses: ['unsupported', 'invalid_state', 'not_ready', 'operation_in_progress', 'quota_exceeded'],
    examples: { body: { name: 's1' } },
    conflicts: [onKey('image-name/', () => fail('name_taken', 'the project has an image of this name'))],
    async handle({ body, target, caller, place, traceId }, { world, everything, conclude }) {
      const region = everything.get<Region>(Region.kind, target.spec.region)!
      await assertCan(region, 'snapshot', clients)
      const view = verbView(everything, target)
      const refusal = refusalBy(judgeSnapshot(view), view)
      if (refusal) throw refusal
      const draft = Image.draft({
        ...{ world, place, caller, name: body.name, labels: ownLabels(body.labels) },
        ...(body.displayName !== undefined && { displayName: body.displayName }),
        spec: takenOf(target, region, catalogs),
        status: { ...asked, server: view.active!.status.backendId! },
      })
      const set = changeSet(world).create(draft).expectRevision(target, target.revision)
      imageBesides(set, everything, { draft, on: [...placeObjects(everything, place), region] })
      const operation = startOperation(set, world, {
        ...{ subject: target, owner: draft, type: 'snapshot', steps: ['capture'] },
        ...{ requestedBy: caller.principalId, traceId },
      })
      const what = `a snapshot ${body.name} is taken of it, asked for by ${caller.displayName}`
      appendEvent(set, target, { reason: 'Snapshot', message: what })
      appendEvent(set, draft, { reason: 'Created', message: `of the instance ${target.name}` })
      return conclude(set, outcome => ({
        status: 202,
        body: {
          operation: { id: operation.id, type: 'snapshot' },
          image: Image.present(outcome.object(draft)),
        },
      }))
    },
  }),
  route({
    method: 'GET',
    path: `${one}/snapshots`,
    summary: 'List the snapshots of an instance',
    scope: 'project',
    permission: 'images:read',
    target: theInstance,
    query: listQuery({}),
    replies: { 200: Image.list },
    handle: ({ objects, place, query, target }) =>
      listReply({
        ...{ objects, place, query, resource: Image },
        only: { index: { name: snapshotsByInstance.name, key: target.id } },
      }),
  }),
]

/** Clients copy labels from what they read: ours are no news, and not theirs to write. */
const ownLabels = (labels: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith('stead.')))

function takenOf({ id, name, spec }: Instance, region: Region, catalogs: RegionCatalogs): ImageSpec {
  const { machine } = spec.source
  const flavor = machine && flavorOnce(region, catalogs, machine.flavor)
  const diskGiB = flavor && diskOf({ flavor, diskGiB: machine!.diskGiB })
  return {
    region: region.id,
    ...(flavor?.architecture && { architecture: flavor.architecture }),
    source: { snapshot: { instance: { id, name: name! }, ...(diskGiB != null && { diskGiB }) } },
  }
}
