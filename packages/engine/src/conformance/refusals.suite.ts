import { seconds } from '@stead/world'
import { describe, expect, test } from 'vitest'
import type { ChangeSetBuilder } from '../change-set-builder.ts'
import type { Conflict } from '../words/conflict.ts'
import { InvalidChangeSetError } from '../words/errors.ts'
import type { Store } from '../words/store.ts'
import type { StoreFactory } from './factory.ts'
import { bytes, conflictOf, newSet, readAll, shareStores, unique, widget } from './fixture.suite.ts'

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
    await store.leases.release(await store.leases.acquire({ names: [lease], holder: 'a', ttl: seconds(60) }))
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

/** What does not apply: it says exactly why, and leaves no trace. */
export function refusalSuite(factory: StoreFactory): void {
  describe('a change-set', () => {
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
}
