import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from './change-set-builder.ts'
import { encodeChangeSet, makeEntry } from './encoding.ts'
import { RecentSpecs } from './recent-specs.ts'
import { type Widget, widget } from './tests/widgets.ts'

/** What a store makes of a change-set with one put. */
function written(set: ReturnType<typeof changeSet>, revision: number): { text: string; object: Widget } {
  const [put] = encodeChangeSet(set).puts
  const { changes } = makeEntry(revision, realWorld.now(), [{ op: 'put', ...put!, generation: 1, revision }])
  return { text: put!.spec, object: changes[0]!.object as Widget }
}

test('a change that leaves the spec as it was read shares it with the version before', () => {
  const first = written(changeSet(realWorld).create(widget('shared', { size: 41 })), 1)
  const second = written(changeSet(realWorld).update(first.object, { labels: { tier: 'web' } }), 2)
  expect(second.object.spec).toBe(first.object.spec)
  expect(second.text).toBe(first.text)
  expect(second.object.labels).toEqual({ tier: 'web' })
  expect(Object.isFrozen(second.object.spec) && Object.isFrozen(second.object.labels)).toBe(true)
})

test('one that looks the same and was built by somebody is written as it is', () => {
  const first = written(changeSet(realWorld).create(widget('built', { size: 42 })), 1)
  const spec = { ...first.object.spec, size: 7, aside: undefined }
  const second = written(changeSet(realWorld).update(first.object, { spec }), 2)
  expect(second.object.spec).toEqual({ size: 7 })
  expect(Object.isFrozen(second.object.spec)).toBe(true)
})

test('only the most recent are kept', () => {
  const recent = new RecentSpecs(2)
  const specs = ['a', 'b', 'c'].map(name => ({ spec: Object.freeze({ name }), text: JSON.stringify({ name }) }))
  const [a, b, c] = specs as [(typeof specs)[0], (typeof specs)[0], (typeof specs)[0]]
  recent.keep(a.spec, a.text)
  recent.keep(b.spec, b.text)
  recent.keep(a.spec, a.text)
  recent.keep(c.spec, c.text)
  expect([a, b, c].map(({ text }) => recent.find(text))).toEqual([a.spec, undefined, c.spec])
  expect([a, b, c].map(({ spec }) => recent.textOf(spec))).toEqual([a.text, undefined, c.text])
  expect(recent.textOf('text')).toBeUndefined()
})
