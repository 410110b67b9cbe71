import { instant, seconds } from '@stead/world'
import { describe, expect, test } from 'vitest'
import type { ChangeSetBuilder } from '../change-set-builder.ts'
import type { Conflict } from '../words/conflict.ts'
import { InvalidChangeSetError } from '../words/errors.ts'
import type { ObjectDraft } from '../words/object.ts'
import type { Store } from '../words/store.ts'
import type { StoreFactory } from './factory.ts'
import { commitAndRead, conflictOf, newSet, readAll, shareStores, unique, widget } from './fixture.suite.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Each thing a change-set can stumble over, with what exists before and the exact conflict it must end in. */
const conflicts: Record<string, (store: Store, set: ChangeSetBuilder) => Promise<Conflict>> = {
  async 'another revision'(store, set) {
    const ref = { kind: 'widget', id: unique('w') }
    const { revision } = await store.commit(newSet().create(widget(ref.id)))
    set.expectRevision(ref, revision - 1)
    return { type: 'revision', ref, expected: revision - 1, actual: revision }
  },
  async 'a revision of what is gone'(_store, set) {
    const ref = { kind: 'widget', id: unique('w') }
    set.expectRevision(ref, 1)
    return { type: 'revision', ref, expected: 1, actual: null }
  },
  async 'something that exists'(store, set) {
    const ref = { kind: 'widget', id: unique('w') }
    const { revision } = await store.commit(newSet().create(widget(ref.id)))
    set.create(widget(ref.id))
    return { type: 'absent', ref, actual: revision }
  },
  async 'removing what is not there'(_store, set) {
    const ref = { kind: 'widget', id: unique('w') }
    set.removes.push(ref)
    return { type: 'missing', ref }
  },
  async 'a blob for what is not there'(_store, set) {
    const owner = { kind: 'widget', id: unique('w') }
    set.blob({ owner, hash: 'h', sealed: bytes('sealed') })
    return { type: 'missing', ref: owner }
  },
  async 'a taken key'(store, set) {
    const key = unique('key')
    await store.commit(newSet().take(key, 'a'))
    set.take(key, 'b')
    return { type: 'key', key, wanted: 'b', heldBy: 'a' }
  },
  async 'a key already its own'(store, set) {
    const key = unique('key')
    await store.commit(newSet().take(key, 'a'))
    set.take(key, 'a')
    return { type: 'key', key, wanted: 'a', heldBy: 'a' }
  },
  async "releasing another's key"(store, set) {
    const key = unique('key')
    await store.commit(newSet().take(key, 'a'))
    set.release(key, 'b')
    return { type: 'key', key, wanted: 'b', heldBy: 'a' }
  },
  async 'releasing a free key'(_store, set) {
    const key = unique('key')
    set.release(key, 'a')
    return { type: 'key', key, wanted: 'a', heldBy: null }
  },
  async 'a key another holds'(store, set) {
    const key = unique('key')
    await store.commit(newSet().take(key, 'a'))
    set.expectKey(key, 'b')
    return { type: 'key', key, wanted: 'b', heldBy: 'a' }
  },
  async 'a lease that moved on'(store, set) {
    const lease = unique('lease')
    await store.leases.acquire({ names: [lease], holder: 'a', ttl: seconds(60) })
    await store.leases.release({ names: [lease], holder: 'a' })
    await store.leases.acquire({ names: [lease], holder: 'b', ttl: seconds(60) })
    set.fence(lease, 1)
    return { type: 'fence', lease, expected: 1, actual: 2 }
  },
  async 'a lease nobody ever held'(_store, set) {
    const lease = unique('lease')
    set.fence(lease, 1)
    return { type: 'fence', lease, expected: 1, actual: null }
  },
  async "a counter's limit"(store, set) {
    const counter = unique('counter')
    await store.commit(newSet().limit(counter, 10).move(counter, 7))
    set.move(counter, 4)
    return { type: 'limit', counter, limit: 10, value: 7, asked: 4 }
  },
  async "a counter's end"(store, set) {
    const counter = unique('counter')
    await store.commit(newSet().move(counter, 7))
    set.move(counter, -8)
    return { type: 'underflow', counter, value: 7, asked: -8 }
  },
}

const oddStrings = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  'é',
  'e\u0301',
  '🦊',
  '\u{10ffff}',
  '"\\/\b\f\n\r\t',
  '\u2028',
]

/** Malformed in one way each: [why, what to spoil]. */
const malformed: [why: string, spoil: (set: ChangeSetBuilder) => unknown][] = [
  ['an object changed twice', set => set.puts.push(widget('x'), widget('x'))],
  ['an object put and removed', set => set.puts.push(widget('x')) + set.removes.push({ kind: 'widget', id: 'x' })],
  ['an empty id', set => set.puts.push(widget(''))],
  ['a kind with a slash', set => set.puts.push({ ...widget('x'), kind: 'a/b' })],
  ['no spec', set => set.puts.push({ ...widget('x'), spec: undefined })],
  ['a spec that is a circle', set => set.puts.push(widget('x', circle()))],
  ['a BigInt', set => set.puts.push(widget('x', { size: 1n }))],
  ['an object past 1 MiB', set => set.puts.push(widget('x', 'é'.repeat(600_000)))],
  ['more than 16 MiB together', set => set.puts.push(...Array.from({ length: 17 }, (_, i) => widget(`x${i}`, bulk)))],
  ['a key taken twice', set => set.take('k', 'a').take('k', 'b')],
  ['a key released twice', set => set.release('k', 'a').release('k', 'a')],
  ['an empty key', set => set.take('', 'a')],
  ['a key with NUL', set => set.take('a\0b', 'a')],
  ['a key with half a character', set => set.take('\ud800', 'a')],
  ['a key past 512 bytes', set => set.take('é'.repeat(300), 'a')],
  ['half a unit', set => set.move('c', 0.5)],
  ['a number that cannot be counted with', set => set.move('c', 2 ** 53)],
  ['a negative limit', set => set.limit('c', -1)],
  ['a blob that is not bytes', set => set.blob({ owner: refX, hash: 'h', sealed: 'text' as unknown as Uint8Array })],
  [
    'a blob for what it removes',
    set => set.removes.push(refX) && set.blob({ owner: refX, hash: 'h', sealed: bytes('s') }),
  ],
  ['a record of a nameless table', set => set.record({ table: '', subject: 's', scope: 'p', body: 1 })],
]
const refX = { kind: 'widget', id: 'x' }
const bulk = 'x'.repeat(1_000_000)
function circle(): object {
  const spec: { self?: object } = {}
  spec.self = spec
  return spec
}

export function objectSuite(factory: StoreFactory): void {
  describe('change-sets', () => {
    const stores = shareStores(factory)

    for (const [stumble, prepare] of Object.entries(conflicts))
      test(`one that stumbles over ${stumble} says so exactly and leaves no trace`, async () => {
        const store = stores.one
        const id = unique('w')
        const set = newSet().create(widget(id)).take(`key/${id}`, id).limit(`${id}/counter`, 5).move(`${id}/counter`, 1)
        set.record({ table: 'events', subject: id, scope: id, body: 1 })
        set.blob({ owner: { kind: 'widget', id }, hash: 'h', sealed: bytes('sealed') })
        const conflict = await prepare(store, set)
        const head = store.head()
        expect(await conflictOf(store.commit(set))).toEqual(conflict)
        const { revision, objects } = await readAll(store)
        expect(revision).toBe(head)
        expect(objects.filter(object => object.id === id)).toEqual([])
        expect(await store.keyHolder(`key/${id}`)).toBeUndefined()
        expect(await store.counters(id)).toEqual([])
        expect(await store.records({ table: 'events', scope: id, limit: 10 })).toEqual([])
        expect(await store.blob({ kind: 'widget', id }, 'h')).toBeUndefined()
        expect(await store.outcome(set.id)).toBeUndefined()
      })

    test('a whole one applies everything it says, at one revision', async () => {
      const store = stores.one
      const id = unique('w')
      const ref = { kind: 'widget', id }
      const set = newSet()
        .create(widget(id))
        .create(widget(`${id}-2`))
        .take(`key/${id}`, id)
        .move(`${id}/counter`, 2)
      set.record({ table: 'events', subject: id, scope: id, body: { reason: 'Created' } })
      set.blob({ owner: ref, hash: 'h', sealed: bytes('sealed') })
      const { revision, at } = await store.commit(set)
      const ours = (await readAll(store)).objects.filter(object => object.id.startsWith(id))
      expect(ours.map(object => [object.id, object.revision])).toEqual([
        [id, revision],
        [`${id}-2`, revision],
      ])
      expect(await store.keyHolder(`key/${id}`)).toBe(id)
      expect(await store.counters(id)).toEqual([{ counter: `${id}/counter`, value: 2, limit: null }])
      expect(await store.records({ table: 'events', scope: id, limit: 10 })).toMatchObject([{ at, subject: id }])
      expect(await store.blob(ref, 'h')).toEqual(bytes('sealed'))
      expect(await store.outcome(set.id)).toEqual({ revision, at })
    })

    test('generation starts at 1 and moves with spec only, whatever the order of its keys', async () => {
      const store = stores.one
      const id = unique('w')
      const put = async (draft: ObjectDraft) => {
        const [object] = await commitAndRead(store, { ...newSet(), puts: [draft] })
        return object?.generation
      }
      expect(await put(widget(id, { x: 1, y: { z: 2, w: [3, { b: 1, a: 2 }] } }))).toBe(1)
      expect(await put(widget(id, { y: { w: [3, { a: 2, b: 1 }], z: 2 }, x: 1 }, { conditions: [] }))).toBe(1)
      expect(await put({ ...widget(id, { y: { w: [3, { a: 2, b: 1 }], z: 2 }, x: 1 }), labels: { a: 'b' } })).toBe(1)
      expect(await put(widget(id, { y: { w: [{ a: 2, b: 1 }, 3], z: 2 }, x: 1 }))).toBe(2)
      expect(await put(widget(id, null))).toBe(3)
      await store.commit({ ...newSet(), removes: [{ kind: 'widget', id }] })
      expect(await put(widget(id))).toBe(1)
    })

    test('the remove of an object carries it as it last was', async () => {
      const store = stores.one
      const id = unique('w')
      const [created] = await commitAndRead(store, newSet().create(widget(id, { size: 7 })))
      const [removed] = await commitAndRead(store, newSet().remove(created!))
      expect(removed).toEqual(created)
    })

    test('every field survives, and what was read is frozen to the bottom', async () => {
      const store = stores.one
      const id = unique('w')
      const draft: ObjectDraft = {
        ...widget(id, { list: [{ deep: true }], __proto__: null, zero: -0 }),
        organizationId: 'org',
        projectId: 'prj',
        name: 'web-1',
        displayName: 'Web 1',
        labels: { tier: 'gold' },
        owner: { kind: 'gadget', id: 'g' },
        finalizers: ['widgets'],
        createdBy: 'me',
        deletedAt: instant(5),
        status: { conditions: [{ type: 'Ready', status: 'true', reason: 'Ok', message: 'fine', since: instant(3) }] },
      }
      const [seen] = await commitAndRead(store, newSet().create(draft))
      const [listed] = (await readAll(store)).objects.filter(object => object.id === id)
      const expected = { ...JSON.parse(JSON.stringify(draft)), generation: 1, revision: seen?.revision }
      expect(seen).toEqual(expected)
      expect(listed).toEqual(expected)
      for (const object of [seen, listed]) {
        expect(Object.isFrozen(object)).toBe(true)
        expect(Object.isFrozen((object!.spec as { list: object[] }).list[0])).toBe(true)
      }
    })

    test('documents with odd strings and keys survive', async () => {
      const store = stores.one
      const id = unique('w')
      const odd = {
        list: oddStrings,
        map: Object.fromEntries(oddStrings.map(text => [text, text])),
        ...JSON.parse('{"__proto__": {"a": 1}}'),
      }
      const record = { table: 'odd', subject: id, scope: id, body: odd }
      const [seen] = await commitAndRead(store, newSet().create(widget(id, odd)).record(record))
      const listed = (await readAll(store)).objects.find(object => object.id === id)
      const [read] = await store.records({ table: 'odd', scope: id, limit: 1 })
      for (const document of [seen?.spec, listed?.spec, read?.body]) {
        expect(document).toEqual(odd)
        expect(Object.keys(document as object)).toContain('__proto__')
      }
    })

    test('names are compared as they are: no case, no normal form, no padding is folded', async () => {
      const store = stores.one
      const prefix = unique('k')
      const names = ['a', 'A', 'é', 'e\u0301', 'a ', '🦊', '\u{10ffff}', "'; --", '%', '_'].map(
        name => `${prefix}/${name}`,
      )
      await store.commit(names.reduce((set, name) => set.take(name, name), newSet()))
      for (const name of names) expect(await store.keyHolder(name)).toBe(name)
    })

    test('an object of nearly 1 MiB survives', async () => {
      const store = stores.one
      const id = unique('w')
      const text = 'é'.repeat(500_000)
      const [seen] = await commitAndRead(store, newSet().create(widget(id, { text })))
      expect(seen?.spec).toEqual({ text })
      expect((await readAll(store)).objects.find(object => object.id === id)?.spec).toEqual({ text })
      await store.commit(newSet().remove(seen!))
    })

    for (const [why, spoil] of malformed)
      test(`${why} is refused before anything is written`, async () => {
        const store = stores.one
        const head = store.head()
        const set = newSet()
        spoil(set)
        await expect(store.commit(set)).rejects.toBeInstanceOf(InvalidChangeSetError)
        expect(store.head()).toBe(head)
        expect(await store.outcome(set.id)).toBeUndefined()
      })
  })

  describe('blobs', () => {
    const stores = shareStores(factory)
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)

    test('keep their bytes, belong to one object and go with it', async () => {
      const store = stores.one
      const [a, b] = [unique('w'), unique('w')].map(id => ({ kind: 'widget', id }))
      const set = newSet().create(widget(a!.id)).create(widget(b!.id))
      await store.commit(
        set.blob({ owner: a!, hash: 'h', sealed: all }).blob({ owner: b!, hash: 'h', sealed: bytes('') }),
      )
      expect(await store.blob(a!, 'h')).toEqual(all)
      expect(await store.blob(b!, 'h')).toEqual(bytes(''))
      await store.commit({ ...newSet(), removes: [a!] })
      expect(await store.blob(a!, 'h')).toBeUndefined()
      expect(await store.blob(b!, 'h')).toEqual(bytes(''))
      await store.commit(newSet().create(widget(a!.id)))
      expect(await store.blob(a!, 'h')).toBeUndefined()
    })

    test('may be added later, replaced and dropped', async () => {
      const store = stores.one
      const owner = { kind: 'widget', id: unique('w') }
      await store.commit(newSet().create(widget(owner.id)))
      await store.commit(newSet().blob({ owner, hash: 'one', sealed: bytes('1') }))
      await store.commit(newSet().blob({ owner, hash: 'one', sealed: bytes('1') }))
      await store.commit(
        newSet()
          .dropBlob(owner, 'one')
          .blob({ owner, hash: 'two', sealed: bytes('2') }),
      )
      expect(await store.blob(owner, 'one')).toBeUndefined()
      expect(await store.blob(owner, 'two')).toEqual(bytes('2'))
      await store.commit(newSet().dropBlob(owner, 'never'))
    })
  })
}
