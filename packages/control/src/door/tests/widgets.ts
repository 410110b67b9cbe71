import { type BaseStatus, changeSet, type StoredObject } from '@stead/engine'
import { hours } from '@stead/world'
import Type, { type Static } from 'typebox'
import { fail } from '../../errors/index.ts'
import type { Permission } from '../../identity/permissions.ts'
import { resource } from '../../resource/resource.ts'
import { patched, written } from '../../resource/write.ts'
import { secret } from '../../schema/secret.ts'
import { onKey, onLimit } from '../conflicts.ts'
import { listQuery, listReply } from '../list.ts'
import { accepted, created, ok, read } from '../replies.ts'
import { type Route, route } from '../route.ts'
import { watchRoute } from '../watch-route.ts'

// A room as small as rooms are meant to be, with every convention of the door in it.

const WidgetSpec = Type.Object({
  size: Type.Integer({ minimum: 1, maximum: 64 }),
  color: Type.Optional(Type.Enum(['red', 'green', 'blue'])),
  material: Type.Optional(Type.String({ maxLength: 2_000_000 })),
})
const WidgetStatus = Type.Object({ phase: Type.String() })
interface Status extends BaseStatus {
  readonly phase: string
  /** Nobody outside may see it. */
  readonly internal?: string
}
export const Widget = resource<typeof WidgetSpec, typeof WidgetStatus, Status>(
  'widget',
  'wid',
  WidgetSpec,
  WidgetStatus,
  {
    immutable: ['/spec/material'],
  },
)
export type Widget = StoredObject<Static<typeof WidgetSpec>, Status>

const may = (verb: string) => `widgets:${verb}` as Permission
export const widgetPermissions = ['read', 'create', 'update', 'delete', 'paint'].map(may)

const nameKey = ({ projectId, name }: { projectId?: string; name?: string }) => `widget-name/${projectId}/${name}`
export const countKey = (projectId: string) => `quota/${projectId}/widgets`

const nameTaken = onKey('widget-name/', ({ key }) =>
  fail('name_taken', `a widget named ${JSON.stringify(key.split('/').at(-1))} exists here`, {
    errors: [{ path: '/name', message: 'is taken' }],
  }),
)
const tooMany = onLimit('quota/', ({ limit, value, asked }) =>
  fail('quota_exceeded', `${value} of ${limit} widgets are in use`, {
    extensions: { kind: 'widgets', limit, used: value, asked },
  }),
)

const collection = '/v1/projects/:project/widgets'
const one = `${collection}/:widget`

export const widgetRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: collection,
    summary: 'Create a widget',
    scope: 'project',
    permission: may('create'),
    body: Widget.write,
    replies: { 201: Widget.schema },
    conflicts: [nameTaken, tooMany],
    examples: { body: { name: 'w1', spec: { size: 3 } } },
    handle({ body, place, caller }, { world, conclude }) {
      const status = { phase: 'pending', internal: 'classified' }
      const widget = Widget.draft({ ...written(Widget, body), world, place, caller, status })
      const set = changeSet(world).create(widget).take(nameKey(widget), widget.id).move(countKey(widget.projectId!), 1)
      return conclude(set, outcome => created(Widget, outcome.object(widget)))
    },
  }),
  route({
    method: 'POST',
    path: `${collection}/batch`,
    summary: 'Create some widgets, one after the other, and one more; those that exist are left alone',
    scope: 'project',
    permission: may('create'),
    commits: 'many',
    body: Type.Object({ names: Type.Array(Type.String()) }),
    replies: { 201: Widget.schema },
    async handle({ body, objects, place, caller }, { world, commit, conclude }) {
      const draft = (name: string) =>
        Widget.draft({ world, place, caller, name, labels: {}, spec: { size: 1 }, status: { phase: 'pending' } })
      for (const name of body.names)
        if (objects.count({ kind: Widget.kind, name }) === 0) await commit(changeSet(world).create(draft(name)))
      const last = draft('last')
      const set = changeSet(world).create(last).take(nameKey(last), last.id)
      return conclude(set, outcome => created(Widget, outcome.object(last)))
    },
  }),
  route({
    method: 'GET',
    path: collection,
    summary: 'List widgets',
    scope: 'project',
    permission: may('read'),
    query: listQuery({ color: Type.Optional(Type.String()) }),
    replies: { 200: Widget.list },
    handle: ({ objects, place, query }) =>
      listReply({
        objects,
        place,
        query,
        resource: Widget,
        only: query.color === undefined ? {} : { where: ({ spec }) => spec.color === query.color },
      }),
  }),
  route({
    method: 'GET',
    path: one,
    summary: 'Read a widget',
    scope: 'project',
    permission: may('read'),
    target: { kind: Widget.kind },
    replies: { 200: Widget.schema },
    handle: ({ target }) => read(Widget, target),
  }),
  route({
    method: 'PATCH',
    path: one,
    summary: 'Change a widget',
    scope: 'project',
    permission: may('update'),
    target: { kind: Widget.kind },
    body: Widget.patch,
    replies: { 200: Widget.schema },
    handle({ target, body }, { world, conclude }) {
      const { spec, labels, changes } = patched(Widget, target, body)
      if (changes.length === 0) return ok(Widget, target)
      const draft = { ...target, spec, labels }
      return conclude(changeSet(world).update(target, { spec, labels }), outcome => ok(Widget, outcome.object(draft)))
    },
  }),
  route({
    method: 'DELETE',
    path: one,
    summary: 'Delete a widget',
    scope: 'project',
    permission: may('delete'),
    target: { kind: Widget.kind },
    replies: { 202: Widget.schema },
    handle({ target }, { world, conclude }) {
      const set = changeSet(world)
        .remove(target)
        .release(nameKey(target), target.id)
        .move(countKey(target.projectId!), -1)
      return conclude(set, () => accepted(Widget, target))
    },
  }),
  route({
    method: 'POST',
    path: `${one}/paint`,
    summary: 'Paint a widget; painting it the color it has does nothing',
    scope: 'project',
    permission: may('paint'),
    target: { kind: Widget.kind },
    body: Type.Object({ color: Type.Enum(['red', 'green', 'blue']) }),
    replies: { 200: Type.Object({ painted: Type.Boolean(), color: Type.String() }) },
    handle({ target, body: { color } }, { world, conclude }) {
      if (target.spec.color === color) return { status: 200, body: { painted: false, color } }
      const set = changeSet(world).update(target, { spec: { ...target.spec, color } })
      return conclude(set, () => ({ status: 200, body: { painted: true, color } }))
    },
  }),
  route({
    method: 'POST',
    path: `${one}/keys`,
    summary: 'Make a key, shown once',
    scope: 'project',
    permission: may('update'),
    target: { kind: Widget.kind },
    body: Type.Object({ password: Type.Optional(secret(Type.String())) }),
    replies: { 201: Type.Object({ key: secret(Type.String()) }) },
    handle({ target }, { world, conclude }) {
      const key = `key-${Buffer.from(world.randomBytes(16)).toString('hex')}`
      const set = changeSet(world).update(target, { status: { ...target.status, phase: 'keyed' } })
      return conclude(set, () => ({ status: 201, body: { key } }))
    },
  }),
  route({
    method: 'GET',
    path: `${one}/wait`,
    summary: 'Wait until the time is up',
    scope: 'project',
    permission: may('read'),
    target: { kind: Widget.kind },
    query: Type.Object({ ignoring: Type.Boolean({ default: false }) }),
    replies: { 200: Type.Object({}) },
    async handle({ query, signal }, { world }) {
      await world.sleep(hours(1), query.ignoring ? undefined : signal)
      return { status: 200, body: {} }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/projects/:project/break/:how',
    summary: 'Fail as a bug would',
    scope: 'project',
    permission: may('read'),
    params: Type.Object({ how: Type.Enum(['throw', 'status', 'schema', 'commit', 'twice', 'answer']) }),
    replies: { 200: Type.Object({ fine: Type.Boolean() }) },
    commits: 'once',
    async handle({ params, place, caller }, { world, conclude, commit }) {
      const draft = () =>
        Widget.draft({ world, place, caller, name: 'x', labels: {}, spec: { size: 1 }, status: { phase: '' } })
      const fine = () => ({ status: 200, body: { fine: true } })
      if (params.how === 'status') return { status: 418, body: {} }
      if (params.how === 'schema') return { status: 200, body: { fine: 'yes' } }
      if (params.how === 'commit') await commit(changeSet(world).create(draft()))
      if (params.how === 'twice') await conclude(changeSet(world).create(draft()), fine)
      if (params.how === 'twice') await conclude(changeSet(world).create(draft()), fine)
      if (params.how === 'answer')
        return conclude(changeSet(world).create(draft()), () => ({ status: 200, body: { fine: 'yes' } }))
      throw new Error('the secret ingredient is salt')
    },
  }),
  watchRoute({
    path: '/v1/projects/:project/watch',
    scope: 'project',
    permission: 'projects:read',
    kinds: [Widget, { ...Widget, kind: 'gadget', noun: 'gadgets' }],
  }),
]
