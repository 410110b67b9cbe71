import { instant, seconds } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { GoneError, OpenError, UnavailableError } from '../words/errors.ts'
import type { Store } from '../words/store.ts'
import type { StoreFactory } from './factory.ts'
import { conflictOf, never, newHome, newSet, readAll, take, times, widget } from './fixture.suite.ts'

/** Everything that can be read, to be compared before and after. */
async function readEverything(store: Store) {
  return {
    identity: store.identity,
    head: store.head(),
    compacted: await store.compacted(),
    snapshot: await readAll(store),
    log: await take(store, await store.compacted(), store.head() - (await store.compacted())),
    keys: await Promise.all(['key/a', 'key/b', 'key/c'].map(key => store.keyHolder(key))),
    counters: await store.counters(''),
    records: await store.records({ table: 'events', scope: 'p', after: 0, limit: 100 }),
    blob: await store.blob({ kind: 'widget', id: 'w-1' }, 'h'),
    marks: await store.marks(['mark']),
  }
}

async function fill(store: Store) {
  await store.commit(newSet().take('key/a', 'a').take('key/b', 'b').limit('quota/x', 10).move('quota/x', 4))
  for (let n = 0; n < 12; n++)
    await store.commit({
      ...newSet().record({ table: 'events', subject: 'w', scope: 'p', body: { n } }),
      puts: [widget(`w-${n % 5}`, { n, odd: '\0\ud800🦊' })],
    })
  await store.commit({ ...newSet().release('key/b', 'b'), removes: [{ kind: 'widget', id: 'w-4' }] })
  await store.commit(newSet().blob({ owner: { kind: 'widget', id: 'w-1' }, hash: 'h', sealed: Uint8Array.of(0, 255) }))
  await store.setMarks([{ mark: 'mark', at: instant(5), value: 'v' }])
}

export function restartSuite(factory: StoreFactory): void {
  describe('a restart', () => {
    test('keeps everything', async () => {
      const { open } = await newHome(factory)
      let store = await open()
      const set = newSet().create(widget('outcome'))
      const outcome = await store.commit(set)
      await fill(store)
      await store.compact(3)
      const before = await readEverything(store)
      await store.close()
      store = await open()
      expect(await readEverything(store)).toEqual(before)
      expect(await store.outcome(set.id)).toEqual(outcome)
      expect(await store.commit(set)).toEqual(outcome)
      expect(store.head()).toBe(before.head)
    })

    test('goes on where the log ended, also when all of it was forgotten', async () => {
      const { open } = await newHome(factory)
      let store = await open()
      await fill(store)
      const head = store.head()
      const { objects } = await readAll(store)
      await store.compact(head)
      await store.close()
      store = await open()
      expect(store.head()).toBe(head)
      expect(await readAll(store)).toEqual({ revision: head, objects })
      await expect(take(store, head - 1, 1)).rejects.toBeInstanceOf(GoneError)
      const { revision } = await store.commit(newSet().create(widget('next')))
      expect(revision).toBe(head + 1)
      expect(await take(store, head, 1)).toMatchObject([{ revision, changes: [{ object: { id: 'next' } }] }])
    })

    test('keeps keys taken, counters charged and fences high', async () => {
      const { open } = await newHome(factory)
      let store = await open()
      await fill(store)
      const { leases } = store
      await leases.release(await leases.acquire({ names: ['lease'], holder: 'a', ttl: seconds(600) }))
      await leases.acquire({ names: ['lease'], holder: 'b', ttl: seconds(600) })
      await store.close()
      store = await open()
      expect(await conflictOf(store.commit(newSet().take('key/a', 'z')))).toMatchObject({ type: 'key', heldBy: 'a' })
      expect(await conflictOf(store.commit(newSet().move('quota/x', 7)))).toMatchObject({ limit: 10, value: 4 })
      expect(await conflictOf(store.commit(newSet().fence('lease', 1)))).toMatchObject({ type: 'fence', actual: 2 })
      await store.leases.release(await store.leases.list())
      expect(await store.leases.acquire({ names: ['lease'], holder: 'c', ttl: seconds(60) })).toMatchObject([
        { fence: 3 },
      ])
    })
  })

  describe('a closed store', () => {
    test('finishes what was asked, then refuses, and its watches end', async () => {
      const store = await (await newHome(factory)).open()
      const watching = (async () => {
        const seen: number[] = []
        for await (const batch of store.watch(0, never)) seen.push(...batch.map(({ revision }) => revision))
        return seen
      })()
      const commits = times(20, n => store.commit(newSet().create(widget(`w-${n}`))))
      await store.close()
      expect((await Promise.all(commits)).map(({ revision }) => revision)).toEqual(times(20, n => n + 1))
      expect(await watching).toEqual(times(20, n => n + 1))
      await expect(store.commit(newSet().create(widget('late')))).rejects.toBeInstanceOf(UnavailableError)
      await expect(store.keyHolder('key')).rejects.toBeInstanceOf(UnavailableError)
      await store.close()
    })
  })

  describe('who a store is', () => {
    test('stays the same over restarts, and a new one may act', async () => {
      const { open } = await newHome(factory)
      let store = await open()
      const { identity } = store
      expect(identity).toEqual({ storeId: identity.storeId, epoch: 1, observeOnly: false })
      await store.close()
      store = await open()
      expect(store.identity).toEqual(identity)
      await store.resume()
      expect(store.identity).toEqual(identity)
    })

    test('differs between two stores', async () => {
      const [a, b] = [await (await newHome(factory)).open(), await (await newHome(factory)).open()]
      expect(a.identity.storeId).not.toBe(b.identity.storeId)
    })

    const { copy: copyHome } = factory
    if (copyHome)
      test('a copy knows that it is one: same store, new epoch, only observing until it is resumed', async () => {
        const original = await newHome(factory)
        let store = await original.open()
        await fill(store)
        const before = await readEverything(store)
        await store.close()
        const copied = await newHome(factory, () => copyHome(original.home))
        let copy = await copied.open()
        expect(copy.identity).toEqual({ ...before.identity, epoch: 2, observeOnly: true })
        expect({ ...(await readEverything(copy)), identity: before.identity }).toEqual(before)
        await copy.close()
        copy = await copied.open()
        expect(copy.identity).toEqual({ ...before.identity, epoch: 2, observeOnly: true })
        await copy.resume()
        expect(copy.identity.observeOnly).toBe(false)
        await copy.close()
        copy = await copied.open()
        expect(copy.identity).toEqual({ ...before.identity, epoch: 2, observeOnly: false })
        store = await original.open()
        expect(store.identity).toEqual(before.identity)
      })
  })

  if (factory.nodes === 1)
    test('a second opener is refused, and the first does not notice', async () => {
      const { open } = await newHome(factory)
      const store = await open()
      await store.commit(newSet().create(widget('a')))
      const refused = await open().catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(OpenError)
      expect(refused).toMatchObject({ failure: 'in_use' })
      await store.commit(newSet().create(widget('b')))
      expect((await readAll(store)).objects).toHaveLength(2)
      await store.close()
      expect((await readAll(await open())).objects).toHaveLength(2)
    })
}
