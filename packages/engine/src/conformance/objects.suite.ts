import { instant } from '@stead/world'
import { describe, expect, test } from 'vitest'
import type { ObjectDraft } from '../words/object.ts'
import type { StoreFactory } from './factory.ts'
import { bytes, commitAndRead, newSet, readAll, shareStores, unique, widget } from './fixture.suite.ts'

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

export function objectSuite(factory: StoreFactory): void {
  describe('change-sets', () => {
    const stores = shareStores(factory)

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
