import type { StoredObject } from '@stead/engine'
import { instant } from '@stead/world'
import { expect, test } from 'vitest'
import { Type } from '../schema/type.ts'
import { PreparedRoute } from './prepared-route.ts'
import { ok, read } from './replies.ts'
import { route } from './route.ts'
import { WrittenOnce } from './written-once.ts'

const stored = (revision: number, label: string): StoredObject => ({
  kind: 'widget',
  id: 'a',
  labels: { label },
  finalizers: [],
  spec: {},
  status: {},
  createdAt: instant(0),
  createdBy: 'nobody',
  generation: 1,
  revision,
})

/** Shows an object, and counts how often. */
function showing() {
  let times = 0
  const present = (object: StoredObject) => {
    times++
    return { metadata: { ...object.labels, secret: 'classified' }, spec: {}, status: {} }
  }
  return { present, times: () => times }
}

const prepared = (once: WrittenOnce, fields: readonly string[]) =>
  new PreparedRoute(
    route({
      ...{ method: 'GET', path: '/v1/widgets', summary: 'Read', scope: 'platform', permission: 'authenticated' },
      replies: { 200: Type.Object({ metadata: Type.Object(Object.fromEntries(fields.map(f => [f, Type.String()]))) }) },
      handle: () => ({ status: 200 }),
    }),
    { once },
  )

test('a version is written once, cut to its schema, and the next version anew', () => {
  const [resource, widgets] = [showing(), prepared(new WrittenOnce(), ['label'])]
  const [old, young] = [stored(4, 'old'), stored(5, 'new')]
  for (let time = 0; time < 3; time++)
    expect(widgets.write(read(resource, old))).toEqual({
      status: 200,
      headers: { etag: '"4"' },
      text: '{"metadata":{"label":"old"}}',
    })
  expect(resource.times()).toBe(1)
  expect(widgets.write(read(resource, young))).toMatchObject({
    headers: { etag: '"5"' },
    text: expect.stringContaining('"new"'),
  })
  expect(resource.times()).toBe(2)
})

test('two routes that show the same object differently are not taken for each other', () => {
  const [once, resource, object] = [new WrittenOnce(), showing(), stored(4, 'x')]
  const [open, closed] = [prepared(once, ['label', 'secret']), prepared(once, ['label'])]
  for (let time = 0; time < 2; time++) {
    expect(open.write(read(resource, object)).text).toContain('classified')
    expect(closed.write(read(resource, object)).text).not.toContain('classified')
  }
})

test('what is shown by more than the object alone is written for each reader', () => {
  const [resource, widgets, object] = [showing(), prepared(new WrittenOnce(), ['label']), stored(4, 'x')]
  for (let time = 0; time < 3; time++) widgets.write(ok(resource, object))
  expect(resource.times()).toBe(3)
})

test('what is large is not kept, and of very many those not read for long are forgotten', () => {
  const once = new WrittenOnce()
  const as = {}
  const write = (length: number) => () => ({ status: 200, headers: {}, text: 'x'.repeat(length) })
  const large = stored(1, 'large')
  expect(once.of(large, as, write(20_000))).not.toBe(once.of(large, as, write(20_000)))
  const [first, used] = [stored(2, 'first'), stored(3, 'used')]
  const [firstText, usedText] = [once.of(first, as, write(10)), once.of(used, as, write(10))]
  expect(once.of(first, as, write(10))).toBe(firstText)
  for (let index = 0; index < 2_000; index++) {
    once.of(stored(4, 'other'), as, write(10_000))
    expect(once.of(used, as, write(10))).toBe(usedText)
  }
  expect(once.of(first, as, write(10))).not.toBe(firstText)
})
