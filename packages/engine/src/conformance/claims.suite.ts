import { describe, expect, test } from 'vitest'
import { ConflictError } from '../words/errors.ts'
import type { StoreFactory } from './factory.ts'
import { conflictOf, newSet, pick, shareStores, times, unique, widget } from './fixture.suite.ts'

/** Keys and counters: what makes names unique and quotas hold, with no read before the write. */
export function claimSuite(factory: StoreFactory): void {
  describe('keys', () => {
    const stores = shareStores(factory)

    test('64 writers want one: one gets it, and all others learn who', async () => {
      const key = unique('key')
      const commits = times(64, n =>
        pick(stores.all, n).commit(
          newSet()
            .create(widget(`${key}-${n}`))
            .take(key, `${n}`),
        ),
      )
      const results = await Promise.allSettled(commits)
      const winners = results.flatMap((result, n) => (result.status === 'fulfilled' ? [`${n}`] : []))
      expect(winners).toHaveLength(1)
      expect(await stores.one.keyHolder(key)).toBe(winners[0])
      for (const [n, result] of results.entries())
        if (result.status === 'rejected') {
          expect(result.reason).toBeInstanceOf(ConflictError)
          expect(result.reason.conflict).toEqual({ type: 'key', key, wanted: `${n}`, heldBy: winners[0] })
        }
    })

    test('one changes hands in one change-set, and never lies free between', async () => {
      const store = stores.one
      const key = unique('key')
      await store.commit(newSet().take(key, 'a'))
      await store.commit(newSet().release(key, 'a').take(key, 'b'))
      expect(await store.keyHolder(key)).toBe('b')
    })

    test('two change holders with each other in one change-set', async () => {
      const store = stores.one
      const [x, y] = [unique('key'), unique('key')]
      await store.commit(newSet().take(x, 'a').take(y, 'b'))
      await store.commit(newSet().release(x, 'a').release(y, 'b').take(x, 'b').take(y, 'a'))
      expect([await store.keyHolder(x), await store.keyHolder(y)]).toEqual(['b', 'a'])
    })

    test('a released one is free; one that was never taken has no holder', async () => {
      const store = stores.one
      const key = unique('key')
      expect(await store.keyHolder(key)).toBeUndefined()
      await store.commit(newSet().take(key, 'a'))
      await store.commit(newSet().release(key, 'a'))
      expect(await store.keyHolder(key)).toBeUndefined()
      await store.commit(newSet().take(key, 'b'))
      expect(await store.keyHolder(key)).toBe('b')
    })

    test('expectations are of the state before: a key is not held yet by the change-set that takes it', async () => {
      const key = unique('key')
      const conflict = await conflictOf(stores.one.commit(newSet().take(key, 'a').expectKey(key, 'a')))
      expect(conflict).toEqual({ type: 'key', key, wanted: 'a', heldBy: null })
    })
  })

  describe('counters', () => {
    const stores = shareStores(factory)
    const read = async (counter: string) => (await stores.one.counters(counter))[0]

    test('at the limit, of 64 concurrent charges exactly the limit succeed', async () => {
      const counter = unique('counter')
      await stores.one.commit(newSet().limit(counter, 20))
      const charges = times(64, n =>
        pick(stores.all, n).commit(
          newSet()
            .create(widget(unique('w')))
            .move(counter, 1),
        ),
      )
      const results = await Promise.allSettled(charges)
      expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(20)
      for (const result of results)
        if (result.status === 'rejected')
          expect(result.reason.conflict).toEqual({ type: 'limit', counter, limit: 20, value: 20, asked: 1 })
      expect(await read(counter)).toEqual({ counter, value: 20, limit: 20 })
    })

    test('a larger charge that does not fit leaves room for a smaller one that does', async () => {
      const counter = unique('counter')
      await stores.one.commit(newSet().limit(counter, 10).move(counter, 8))
      await conflictOf(stores.one.commit(newSet().move(counter, 3)))
      await stores.one.commit(newSet().move(counter, 2))
      expect(await read(counter)).toEqual({ counter, value: 10, limit: 10 })
    })

    test('a limit may be raised, removed, and set below the value: that only stops growth', async () => {
      const store = stores.one
      const counter = unique('counter')
      await store.commit(newSet().limit(counter, 5).move(counter, 5))
      await store.commit(newSet().limit(counter, 8))
      await store.commit(newSet().move(counter, 3))
      await store.commit(newSet().limit(counter, 4))
      expect(await read(counter)).toEqual({ counter, value: 8, limit: 4 })
      expect(await conflictOf(store.commit(newSet().move(counter, 1)))).toMatchObject({ limit: 4, value: 8, asked: 1 })
      await store.commit(newSet().move(counter, -1))
      await store.commit(newSet().move(counter, 0))
      await store.commit(newSet().limit(counter, null))
      await store.commit(newSet().move(counter, 1_000_000))
      expect(await read(counter)).toEqual({ counter, value: 1_000_007, limit: null })
    })

    test('a change-set sees its own limit and its earlier moves', async () => {
      const store = stores.one
      const counter = unique('counter')
      const over = newSet().move(counter, 3).move(counter, 3).limit(counter, 5)
      expect(await conflictOf(store.commit(over))).toEqual({ type: 'limit', counter, limit: 5, value: 3, asked: 3 })
      await store.commit(newSet().limit(counter, 5).move(counter, 3).move(counter, -3).move(counter, 5))
      expect(await read(counter)).toEqual({ counter, value: 5, limit: 5 })
    })

    test('unlimited ends where numbers can no longer be counted with', async () => {
      const store = stores.one
      const counter = unique('counter')
      const limit = Number.MAX_SAFE_INTEGER
      await store.commit(newSet().move(counter, limit))
      expect(await read(counter)).toEqual({ counter, value: limit, limit: null })
      const conflict = await conflictOf(store.commit(newSet().move(counter, 1)))
      expect(conflict).toEqual({ type: 'limit', counter, limit, value: limit, asked: 1 })
    })

    test('are listed by prefix, in order, with those that only have a limit', async () => {
      const store = stores.one
      const prefix = unique('quota')
      const set = newSet()
        .move(`${prefix}/b`, 2)
        .limit(`${prefix}/a`, 1)
        .move(`${prefix}x/c`, 3)
        .move(`${prefix}/🦊`, 4)
      await store.commit(set)
      expect(await store.counters(`${prefix}/`)).toEqual([
        { counter: `${prefix}/a`, value: 0, limit: 1 },
        { counter: `${prefix}/b`, value: 2, limit: null },
        { counter: `${prefix}/🦊`, value: 4, limit: null },
      ])
    })
  })
}
