import { type ChangeSet, changeSet, type ObjectDraft, type StoredObject } from '@stead/engine'
import { instant, realWorld } from '@stead/world'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { present } from '../resource/present.ts'
import { secret } from '../schema/secret.ts'
import { Changes } from './changes.ts'

const spec = Type.Object({
  size: Type.Optional(Type.Integer()),
  password: Type.Optional(secret(Type.String())),
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
  keys: Type.Optional(Type.Array(Type.Object({ name: Type.String(), key: secret(Type.String()) }))),
})
const metadata = Type.Object({ labels: Type.Optional(Type.Record(Type.String(), Type.String())) })
const changes = new Changes([{ kind: 'widget', schema: Type.Object({ metadata, spec }), present }])

const widget = (content: object, more: object = {}): ObjectDraft => ({
  kind: 'widget',
  id: 'wid_1',
  name: 'w',
  labels: {},
  finalizers: [],
  createdAt: instant(0),
  spec: content,
  status: {},
  ...more,
})

function told(before: ObjectDraft | undefined, set: ChangeSet) {
  const stored = before && ({ ...before, generation: 1, revision: 1 } as StoredObject)
  const everything = {
    get: (kind: string, id: string) => (stored?.kind === kind && stored.id === id ? stored : undefined),
  }
  return changes.of(set, everything as never)
}

const put = (object: ObjectDraft) => {
  const set = changeSet(realWorld)
  set.puts.push(object)
  return set
}

test('what is made, changed and removed is told field by field', () => {
  const [small, large] = [widget({ size: 1, env: { a: '1', 'b/c': '2' } }), widget({ size: 2, env: { a: '1' } })]
  const named = { kind: 'widget', id: 'wid_1', name: 'w' }
  expect(told(undefined, put(small))).toEqual([
    {
      ...named,
      op: 'create',
      changes: [
        { path: '/spec/size', to: 1 },
        { path: '/spec/env/a', to: '1' },
        { path: '/spec/env/b~1c', to: '2' },
      ],
    },
  ])
  expect(told(small, put(large))).toEqual([
    {
      ...named,
      op: 'update',
      changes: [
        { path: '/spec/size', from: 1, to: 2 },
        { path: '/spec/env/b~1c', from: '2' },
      ],
    },
  ])
  const removed = changeSet(realWorld).remove({ ...large, revision: 1 })
  expect(told(large, removed)).toMatchObject([
    { ...named, op: 'delete', changes: [{ path: '/spec/size', from: 2 }, {}] },
  ])
})

test('that a secret was set, changed or taken away is told, and what it is never', () => {
  const [none, first, second] = [widget({}), widget({ password: 'hunter2' }), widget({ password: 'correct horse' })]
  const ofPassword = (before: ObjectDraft, after: ObjectDraft) => told(before, put(after))[0]?.changes
  expect(ofPassword(none, first)).toEqual([{ path: '/spec/password', to: '[redacted]' }])
  expect(ofPassword(first, second)).toEqual([{ path: '/spec/password', from: '[redacted]', to: '[redacted]' }])
  expect(ofPassword(second, none)).toEqual([{ path: '/spec/password', from: '[redacted]' }])
  expect(ofPassword(first, widget({ password: 'hunter2' }))).toBeUndefined()
})

test('a secret in a list is one too', () => {
  const keys = (key: string) => widget({ keys: [{ name: 'k', key }] })
  const found = told(keys('one'), put(keys('two')))
  const shown = [{ name: 'k', key: '[redacted]' }]
  expect(found[0]!.changes).toEqual([{ path: '/spec/keys', from: shown, to: shown }])
})

test('what callers do not know is not told: kinds, fields and status', () => {
  const before = widget({ size: 1 })
  expect(told(before, put(widget({ size: 1, internal: 'x' }, { status: { secret: 'y' } })))).toEqual([])
  expect(told(undefined, put({ ...widget({}), kind: 'allocation' }))).toEqual([])
})

test('however much was changed, an entry stays small', () => {
  const env = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, 'x'.repeat(100_000)]))
  const found = told(undefined, put(widget({ env })))
  expect(found[0]!.changes).toHaveLength(50)
  expect(JSON.stringify(found).length).toBeLessThan(120_000)
  expect(found[0]!.changes[0]!.to).toMatch(/^"xxx.*… \(100002 characters\)$/)
})
