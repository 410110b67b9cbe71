import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideTeardown, type TeardownView } from './decide.ts'
import { isProtected, type Part } from './model.ts'

const part = (kind: string, blocks: boolean): Part => ({
  kind,
  noun: `${kind}s`,
  blocks,
  end: 'mark',
  find: () => [],
  wholeOf: () => undefined,
})

const object = (id: string, isEnding: boolean, isProtected = false) => ({
  kind: 'x',
  id,
  labels: {},
  finalizers: [] as string[],
  createdAt: instant(0),
  spec: { deletionProtection: isProtected },
  status: {},
  generation: 1,
  revision: 1,
  ...(isEnding && { deletedAt: instant(1) }),
})

/** Any state of something with parts that may or may not block, of which some are on their way out. */
const anyView: fc.Arbitrary<TeardownView> = fc
  .record({
    isDeleted: fc.boolean(),
    cascade: fc.constantFrom(undefined, false, true),
    finalizers: fc.array(fc.constantFrom('a', 'b'), { maxLength: 1 }),
    parts: fc.array(
      fc.record({ blocks: fc.boolean(), endings: fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 4 }) }),
      {
        maxLength: 4,
      },
    ),
    strangers: fc.array(fc.constantFrom('gadget'), { maxLength: 1 }),
  })
  .map(({ isDeleted, cascade, finalizers, parts, strangers }) => ({
    whole: { ...object('w', isDeleted), finalizers, status: cascade === undefined ? {} : { cascade } },
    left: parts.map(({ blocks, endings }, index) => ({
      part: part(`kind${index}`, blocks),
      objects: endings.map(([isEnding, isKept], each) => object(`p${index}-${each}`, isEnding, isKept)),
    })),
    strangers,
  }))

const isThere = ({ deletedAt }: { deletedAt?: unknown }) => deletedAt === undefined

test('what is not deleted is left alone', () =>
  fc.assert(
    fc.property(anyView, view => {
      if (view.whole.deletedAt === undefined) expect(decideTeardown(view)).toEqual({ type: 'nothing' })
    }),
  ))

test('nothing is ever ended while something stands in the way of a delete without cascade', () =>
  fc.assert(
    fc.property(anyView, view => {
      fc.pre(view.whole.deletedAt !== undefined && view.whole.status.cascade !== true)
      fc.pre(view.left.some(({ part, objects }) => part.blocks && objects.some(isThere)))
      expect(decideTeardown(view)).toMatchObject({ type: 'wait', reason: 'InUse' })
    }),
  ))

test('a whole is forgotten only when nothing is left of it, and then at once', () =>
  fc.assert(
    fc.property(anyView, view => {
      fc.pre(view.whole.deletedAt !== undefined)
      const isEmpty = view.left.every(({ objects }) => objects.length === 0)
      const isFree = isEmpty && view.strangers.length === 0 && view.whole.finalizers.length === 0
      expect(decideTeardown(view).type === 'forget').toBe(isFree)
    }),
  ))

test('parts end in order: none of a later kind while one of an earlier is left, and none twice', () =>
  fc.assert(
    fc.property(anyView, view => {
      const decision = decideTeardown(view)
      if (decision.type !== 'end') return
      const first = view.left.find(({ objects }) => objects.length > 0)!
      expect(decision.part).toBe(first.part)
      expect(decision.objects).toEqual(first.objects.filter(each => isThere(each) && !isProtected(each)))
    }),
  ))

test('what is protected is never ended, and that is what is waited for when nothing else can be', () => {
  const whole = { ...object('w', true), status: { cascade: true } }
  const [kept, free] = [object('a', false, true), object('b', false)]
  const decide = (...objects: (typeof kept)[]) =>
    decideTeardown({ whole, left: [{ part: part('x', true), objects }], strangers: [] })
  expect(decide(kept, free)).toMatchObject({ type: 'end', objects: [{ id: 'b' }] })
  const message = 'still has 1 x protected from deletion'
  expect(decide(kept, object('b', true))).toEqual({ type: 'wait', reason: 'Protected', message })
})

test('ten thousand parts are not ended in one change-set', () => {
  const objects = Array.from({ length: 10_000 }, (_, index) => object(`p${index}`, false))
  const whole = { ...object('w', true), status: { cascade: true } }
  const decision = decideTeardown({ whole, left: [{ part: part('x', true), objects }], strangers: [] })
  expect(decision.type === 'end' && decision.objects.length).toBe(200)
})
