import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { refKey, type StoredObject } from '../words/object.ts'
import { Contents } from './contents.ts'
import type { Index } from './kind-table.ts'
import { type Criteria, countSelected, type Query, type Scope, selectPage } from './select.ts'

const bySizes: Index = {
  name: 'sizes',
  kind: 'widget',
  keys: object => (object.spec as { sizes: string[] }).sizes,
}

const pick = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined })

const objects = fc
  .record({
    kind: fc.constantFrom('widget', 'gadget'),
    id: fc.nat(40).map(n => `id_${String(n).padStart(3, '0')}`),
    projectId: pick('p1', 'p2'),
    organizationId: pick('o1', 'o2'),
    name: pick('a', 'b'),
    labels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('x', 'y')),
    owner: fc.option(fc.record({ kind: fc.constantFrom('gadget', 'gizmo'), id: fc.constantFrom('id_001', 'id_002') }), {
      nil: undefined,
    }),
    sizes: fc.array(fc.constantFrom('s', 'm', 'l'), { maxLength: 3 }),
  })
  .map(
    ({ sizes, projectId, organizationId, name, owner, ...rest }): StoredObject => ({
      ...rest,
      ...(projectId !== undefined && { projectId }),
      ...(organizationId !== undefined && { organizationId }),
      ...(name !== undefined && { name }),
      ...(owner && { owner }),
      finalizers: [],
      createdAt: instant(1),
      spec: { sizes },
      status: {},
      generation: 1,
      revision: 1,
    }),
  )

const steps = fc.array(fc.record({ op: fc.constantFrom('put', 'put', 'remove'), object: objects }), { maxLength: 150 })

const criteria = fc
  .record({
    kind: fc.constantFrom('widget', 'gadget', 'never'),
    name: pick('a', 'b'),
    labels: fc.option(fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('x', 'y')), { nil: undefined }),
    owner: fc.option(fc.record({ kind: fc.constantFrom('gadget', 'gizmo'), id: fc.constantFrom('id_001', 'id_002') }), {
      nil: undefined,
    }),
    size: pick('s', 'm', 'xl'),
    odd: fc.boolean(),
  })
  .map(
    ({ kind, name, labels, owner, size, odd }): Criteria => ({
      kind,
      ...(name !== undefined && { name }),
      ...(labels && { labels }),
      ...(owner && { owner }),
      ...(size !== undefined && kind === 'widget' && { index: { name: 'sizes', key: size } }),
      ...(odd && { where: object => Number(object.id.slice(3)) % 2 === 1 }),
    }),
  )

const scopes: fc.Arbitrary<Scope> = fc.constantFrom<Scope>(
  'platform',
  { project: 'p1' },
  { project: 'p3' },
  { organization: 'o1' },
)

/** The definition, by looking at everything. */
function naive(all: Iterable<StoredObject>, scope: Scope, asked: Criteria): StoredObject[] {
  return [...all]
    .filter(
      object =>
        object.kind === asked.kind &&
        (scope === 'platform' ||
          ('project' in scope ? object.projectId === scope.project : object.organizationId === scope.organization)) &&
        (asked.name === undefined || object.name === asked.name) &&
        Object.entries(asked.labels ?? {}).every(([key, value]) => object.labels[key] === value) &&
        (!asked.owner || (object.owner?.kind === asked.owner.kind && object.owner.id === asked.owner.id)) &&
        (!asked.index || (object.spec as { sizes: string[] }).sizes.includes(asked.index.key)) &&
        (!asked.where || asked.where(object)),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

const failOnBug = (error: unknown) => {
  throw error
}

function pages(contents: Contents, scope: Scope, query: Query): StoredObject[] {
  const items: StoredObject[] = []
  for (let after: string | undefined; ; ) {
    const page = selectPage(contents, scope, { ...query, ...(after !== undefined && { after }) })
    items.push(...page.items)
    if (page.next === undefined) return items
    after = page.next
  }
}

test('every index answers what looking at everything would', () =>
  fc.assert(
    fc.property(
      steps,
      fc.array(fc.tuple(scopes, criteria), { minLength: 5, maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      (changes, asked, limit) => {
        const contents = new Contents([bySizes], failOnBug)
        const model = new Map<string, StoredObject>()
        for (const { op, object } of changes) {
          const before = model.get(refKey(object))
          const change = op === 'put' ? contents.put(object) : contents.remove(object)
          expect(change.previous).toBe(before)
          if (op === 'put') model.set(refKey(object), object)
          else model.delete(refKey(object))
        }
        expect(contents.size).toBe(model.size)
        expect(new Set(contents.all())).toEqual(new Set(model.values()))
        for (const [scope, sought] of asked) {
          const expected = naive(model.values(), scope, sought)
          expect(selectPage(contents, scope, sought)).toEqual({ items: expected, total: expected.length })
          expect(countSelected(contents, scope, sought)).toBe(expected.length)
          expect(pages(contents, scope, { ...sought, limit })).toEqual(expected)
        }
      },
    ),
    { numRuns: 300 },
  ))

const widget = (n: number, spec: unknown = { sizes: [] }): StoredObject => ({
  kind: 'widget',
  id: `wid_${String(n).padStart(6, '0')}`,
  projectId: 'p1',
  labels: {},
  finalizers: [],
  createdAt: instant(1),
  spec,
  status: {},
  generation: 1,
  revision: 1,
})

test('a cursor stays right while objects come and go', () => {
  const contents = new Contents([], failOnBug)
  for (let n = 0; n < 10; n += 2) contents.put(widget(n))
  const first = selectPage(contents, 'platform', { kind: 'widget', limit: 3 })
  expect(first.items.map(({ id }) => id)).toEqual(['wid_000000', 'wid_000002', 'wid_000004'])
  contents.remove(widget(4))
  contents.remove(widget(0))
  contents.put(widget(1))
  contents.put(widget(7))
  const second = selectPage(contents, 'platform', { kind: 'widget', limit: 3, after: first.next! })
  expect(second.items.map(({ id }) => id)).toEqual(['wid_000006', 'wid_000007', 'wid_000008'])
  expect(second).toMatchObject({ total: 5 })
  expect(second.next).toBeUndefined()
})

test('a limit of none answers the count alone', () => {
  const contents = new Contents([], failOnBug)
  contents.put(widget(1))
  expect(selectPage(contents, 'platform', { kind: 'widget', limit: 0 })).toEqual({ items: [], total: 1 })
})

test('what all have in an index is counted without a look at any', () => {
  const keys = vi.fn(bySizes.keys)
  const contents = new Contents([{ ...bySizes, keys }], failOnBug)
  for (let n = 0; n < 5; n++) contents.put(widget(n, { sizes: ['s'] }))
  keys.mockClear()
  expect(countSelected(contents, 'platform', { kind: 'widget', index: { name: 'sizes', key: 's' } })).toBe(5)
  expect(keys).not.toHaveBeenCalled()
})

test('a bug in an index function is reported and costs nothing else', () => {
  const bugs: object[] = []
  const contents = new Contents([bySizes], (_error, fields) => bugs.push(fields))
  contents.put(widget(1, null))
  contents.put(widget(2, { sizes: ['s'] }))
  expect(bugs).toEqual([{ index: 'sizes', kind: 'widget', id: 'wid_000001' }])
  expect(countSelected(contents, 'platform', { kind: 'widget' })).toBe(2)
  expect(countSelected(contents, 'platform', { kind: 'widget', index: { name: 'sizes', key: 's' } })).toBe(1)
})

test('asking an index that was not declared is refused, for a kind that is empty too', () => {
  const contents = new Contents([bySizes], failOnBug)
  const ask = () => countSelected(contents, 'platform', { kind: 'gadget', index: { name: 'sizes', key: 's' } })
  expect(ask).toThrow('gadget has no index named sizes')
})
