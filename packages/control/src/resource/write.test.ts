import { instant, realWorld } from '@stead/world'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import type { Problem } from '../errors/problem.ts'
import { type Caller, nobody } from '../identity/caller.ts'
import { validator } from '../schema/validator.ts'
import { resource } from './resource.ts'
import { patched, written } from './write.ts'

const Widget = resource(
  'widget',
  'wid',
  Type.Object({
    size: Type.Integer({ minimum: 1, maximum: 64 }),
    color: Type.Optional(Type.String({ pattern: '^[a-z]+$', default: 'grey' })),
    network: Type.Optional(Type.String()),
    parts: Type.Optional(Type.Record(Type.String(), Type.Object({ weight: Type.Integer() }))),
  }),
  Type.Object({ phase: Type.String() }),
  { immutable: ['/spec/network'] },
)
const caller: Caller = { ...nobody, principalId: 'usr_1' }

const stored = (spec: object, labels: Record<string, string> = { tier: 'web' }) => ({
  ...Widget.draft({
    world: realWorld,
    place: { type: 'project', organizationId: 'org_1', projectId: 'prj_1' },
    caller,
    name: 'w1',
    labels,
    spec: spec as { size: number },
    status: {},
  }),
  generation: 1,
  revision: 7,
})

const refusal = (act: () => unknown): Pick<Problem, 'code' | 'details'> => {
  try {
    act()
  } catch (error) {
    return error as Problem
  }
  throw new Error('it was not refused')
}

describe('a new object', () => {
  const { errors } = validator(Widget.write)
  const flat = { name: 'w1', labels: { tier: 'web' }, spec: { size: 3 } }
  const nested = { kind: 'widget', metadata: { name: 'w1', labels: { tier: 'web' } }, spec: { size: 3 } }

  test('may be sent flat or as it is read, and means the same', () => {
    expect(errors(flat)).toEqual([])
    expect(errors(nested)).toEqual([])
    expect(written(Widget, flat)).toEqual(written(Widget, nested))
    expect(written(Widget, flat)).toEqual({ name: 'w1', labels: { tier: 'web' }, spec: { size: 3, color: 'grey' } })
  })

  test('may be one that was read before: what the server adds to it is ignored', () =>
    expect(errors(JSON.parse(JSON.stringify(Widget.present(stored({ size: 3 })))))).toEqual([]))

  test('that is wrong is told so in the form in which it was sent', () => {
    expect(errors({ ...flat, name: 'Not A Name', size: 3 }).map(({ path }) => path)).toEqual(['/name', '/size'])
    expect(errors({ ...nested, metadata: { labels: { 'a b': 'c' } } }).map(({ path }) => path)).toEqual([
      '/metadata/labels/a b',
      '/metadata/name',
    ])
    expect(errors({ ...nested, kind: 'gadget' })).toEqual([{ path: '/kind', message: 'must be "widget"' }])
  })

  test('needs no spec where nothing in it is required', () => {
    const Plain = resource('plain', 'pln', Type.Object({ note: Type.Optional(Type.String()) }), Type.Object({}))
    expect(validator(Plain.write).errors({ name: 'p1' })).toEqual([])
    expect(written(Plain, { name: 'p1' })).toEqual({ name: 'p1', labels: {}, spec: {} })
  })

  test('cannot carry labels that are ours', () =>
    expect(refusal(() => written(Widget, { ...flat, labels: { 'stead.owner': 'me' } }))).toMatchObject({
      code: 'invalid',
      details: { errors: [{ path: '/labels/stead.owner' }] },
    }))
})

describe('a patch', () => {
  test('changes what it names, removes what it names null, and says what changed', () => {
    const object = stored({ size: 3, color: 'red', parts: { a: { weight: 1 }, b: { weight: 2 } } })
    const result = patched(Widget, object, {
      labels: { tier: null, env: 'dev' },
      spec: { size: 4, parts: { a: null } },
    })
    expect(result).toMatchObject({
      labels: { env: 'dev' },
      spec: { size: 4, color: 'red', parts: { b: { weight: 2 } } },
    })
    expect(result.changes.map(({ path }) => path)).toEqual([
      '/labels/env',
      '/labels/tier',
      '/spec/parts/a',
      '/spec/size',
    ])
    expect(result.changed('/spec/parts')).toBe(true)
    expect(result.changed('/spec/color')).toBe(false)
  })

  test('may be sent in the form in which objects are read', () =>
    expect(
      patched(Widget, stored({ size: 3 }), { metadata: { name: 'w1', labels: null }, spec: { size: 4 } }),
    ).toMatchObject({
      labels: {},
      spec: { size: 4 },
    }))

  test('is checked where it changes something', () => {
    const errors = (body: object) =>
      refusal(() => patched(Widget, stored({ size: 3 }), body)).details.errors?.map(({ path }) => path)
    expect(errors({ spec: { size: 100, sise: 1 } })).toEqual(['/spec/sise', '/spec/size'])
    expect(errors({ spec: { size: null } })).toEqual(['/spec/size'])
    expect(errors({ metadata: { labels: { 'a b': 'x' } } })).toEqual(['/metadata/labels/a b'])
    expect(errors({ labels: { 'stead.x': 'x' } })).toEqual(['/labels/stead.x'])
  })

  test('is not held up by what was accepted before and is wrong by now', () => {
    const old = stored({ size: 1_000, retired: true }, { 'old label': 'x', 'stead.image': 'i' })
    expect(patched(Widget, old, { labels: { tier: 'api' } }).changes).toHaveLength(1)
    expect(refusal(() => patched(Widget, old, { spec: { size: 2_000 } })).code).toBe('invalid_request')
  })

  test('cannot change what never changes, but may repeat it', () => {
    const object = stored({ size: 3, network: 'n1' })
    expect(refusal(() => patched(Widget, object, { name: 'w2', spec: { network: 'n2' } }))).toMatchObject({
      code: 'immutable',
      details: { errors: [{ path: '/spec/network' }, { path: '/name' }] },
    })
    expect(patched(Widget, object, { name: 'w1', spec: { network: 'n1' } }).changes).toEqual([])
  })
})

test('an object is shown as metadata, spec and status, with times as text', () => {
  const object = {
    ...stored({ size: 3 }),
    createdAt: instant(0),
    status: {
      phase: 'running',
      conditions: [{ type: 'Ready', status: 'true' as const, reason: 'Up', message: 'is up', since: instant(1_000) }],
    },
  }
  expect(Widget.present(object)).toMatchObject({
    metadata: {
      name: 'w1',
      projectId: 'prj_1',
      organizationId: 'org_1',
      revision: 7,
      createdAt: '1970-01-01T00:00:00.000Z',
    },
    spec: { size: 3 },
    status: { phase: 'running', conditions: [{ type: 'Ready', since: '1970-01-01T00:00:01.000Z' }] },
  })
  expect(Widget.present(object)).toMatchObject({ metadata: { deletedAt: null, createdBy: 'usr_1' } })
})
