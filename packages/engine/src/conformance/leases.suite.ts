import { millis, seconds } from '@stead/world'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../words/lease.ts'
import type { Store } from '../words/store.ts'
import type { StoreFactory } from './factory.ts'
import { conflictOf, logHead, newSet, pick, shareStores, take, times, unique, widget } from './fixture.suite.ts'

const long = seconds(600)
const short = millis(30)

async function untilExpired(store: Store, name: string): Promise<void> {
  for (;;) {
    const lease = (await store.leases.list()).find(each => each.name === name)
    if (!lease || lease.remaining <= 0) return
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

export function leaseSuite(factory: StoreFactory): void {
  describe('leases', () => {
    const stores = shareStores(factory)
    const newLease = () => {
      const name = unique('lease')
      const by = (holder: string, ttl = long) => ({ names: [name], holder, ttl })
      const find = async () => (await stores.one.leases.list()).find(lease => lease.name === name)
      return { name, by, find, leases: stores.one.leases }
    }

    test('are held by one: acquired, seen, refused to another, renewed with the same fence, released', async () => {
      const { name, by, find, leases } = newLease()
      const [held] = await leases.acquire(by('a'))
      expect(held).toMatchObject({ name, holder: 'a', fence: 1 })
      expect(await find()).toMatchObject({ name, holder: 'a', fence: 1, expiresAt: held?.expiresAt })
      expect((await find())!.remaining).toBeGreaterThan(long / 2)
      expect(await leases.acquire(by('b'))).toEqual([])
      expect(await leases.renew(by('b'))).toEqual([])
      expect(await leases.acquire(by('a'))).toMatchObject([{ holder: 'a', fence: 1 }])
      expect(await leases.renew(by('a', seconds(1_200)))).toMatchObject([{ holder: 'a', fence: 1 }])
      expect((await find())!.remaining).toBeGreaterThan(seconds(900))
      const [renewed] = await leases.renew(by('a', seconds(900)))
      await leases.release([held!, { ...renewed!, holder: 'b' }, { ...renewed!, fence: 2 }])
      expect(await leases.acquire(by('b'))).toEqual([])
      await leases.release([renewed!])
      expect((await find())!.remaining).toBeLessThanOrEqual(0)
      expect(await leases.acquire(by('b'))).toMatchObject([{ holder: 'b', fence: 2 }])
    })

    test('an expired one goes to whoever comes, with a higher fence, and its holder cannot revive it', async () => {
      const { name, by, leases } = newLease()
      await leases.acquire(by('a', short))
      await untilExpired(stores.one, name)
      expect(await leases.renew(by('a'))).toEqual([])
      expect(await leases.acquire(by('b', short))).toMatchObject([{ holder: 'b', fence: 2 }])
      expect(await leases.renew(by('a'))).toEqual([])
      await untilExpired(stores.one, name)
      expect(await leases.acquire(by('b'))).toMatchObject([{ holder: 'b', fence: 3 }])
    })

    test('many are asked for at once; those that are free are given', async () => {
      const [a, b, c] = [unique('lease'), unique('lease'), unique('lease')]
      const { leases } = stores.one
      await leases.acquire({ names: [b], holder: 'other', ttl: long })
      const held = await leases.acquire({ names: [a, b, c], holder: 'me', ttl: long })
      expect(held.map(({ name }) => name).sort()).toEqual([a, c].sort())
      const renewed = await leases.renew({ names: [a, b, c], holder: 'me', ttl: long })
      expect(renewed.map(({ name }) => name).sort()).toEqual([a, c].sort())
      await leases.release(renewed)
      expect(await leases.acquire({ names: [a, b, c], holder: 'other', ttl: long })).toHaveLength(3)
    })

    test('64 want one: one gets it', async () => {
      const { by } = newLease()
      const asked = times(64, n => pick(stores.all, n).leases.acquire(by(`holder-${n}`)))
      expect((await Promise.all(asked)).flat()).toHaveLength(1)
    })

    test('cost no revision and wake nobody', async () => {
      const { by, leases } = newLease()
      const head = logHead(stores.all)
      await leases.acquire(by('a'))
      await leases.release(await leases.renew(by('a')))
      const { revision } = await stores.one.commit(newSet().create(widget(unique('w'))))
      expect(revision).toBe(head + 1)
    })

    test('a fenced-out worker cannot write, however late its write arrives', async () => {
      const { name, by, leases } = newLease()
      const id = unique('w')
      await leases.acquire(by('a', short))
      const { revision } = await stores.one.commit(newSet().create(widget(id)).fence(name, 1))
      await untilExpired(stores.one, name)
      // Expired, but nobody has taken it since: the work is still its own.
      await stores.one.commit({ ...newSet().fence(name, 1), puts: [widget(id, 'still a')] })
      await leases.acquire(by('b'))
      for (const store of stores.all) {
        const late = store.commit({ ...newSet().fence(name, 1), puts: [widget(id, 'too late')] })
        expect(await conflictOf(late)).toEqual({ type: 'fence', lease: name, expected: 1, actual: 2 })
      }
      await stores.one.commit({ ...newSet().fence(name, 2), puts: [widget(id, 'b')] })
      const entries = await take(stores.one, revision - 1, 3)
      expect(entries.map(({ changes }) => changes[0]!.object.spec)).toEqual([{ size: 1 }, 'still a', 'b'])
    })

    test('a worker that loses its lease in the middle of its writes loses all writes after', async () => {
      const { name, by, leases } = newLease()
      const held = await leases.acquire(by('a'))
      const writes = times(64, () =>
        stores.one.commit(
          newSet()
            .create(widget(unique('w')))
            .fence(name, 1)
            .move(name, 1),
        ),
      )
      const takeover = leases.release(held).then(() => leases.acquire(by('b')))
      const results = await Promise.allSettled(writes)
      await takeover
      expect(await conflictOf(stores.one.commit(newSet().fence(name, 1)))).toMatchObject({ type: 'fence', actual: 2 })
      const landed = results.filter(result => result.status === 'fulfilled').length
      const [counter] = await stores.one.counters(name)
      expect(counter?.value ?? 0).toBe(landed)
    })

    test('fences only grow, and each new holding has its own', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom('acquire', 'renew', 'release'), fc.constantFrom('a', 'b', 'c'))),
          async steps => {
            const { by, leases } = newLease()
            let last: Lease | undefined
            let holder: string | undefined
            let fence = 0
            for (const [step, who] of steps) {
              if (step === 'release') {
                if (last) await leases.release([{ ...last, holder: who }])
                if (holder === who) holder = undefined
                continue
              }
              const [held] = step === 'acquire' ? await leases.acquire(by(who)) : await leases.renew(by(who))
              const may = holder === who || (step === 'acquire' && holder === undefined)
              if (may && holder === undefined) fence += 1
              if (may) holder = who
              if (held) last = held
              expect(held?.fence).toBe(may ? fence : undefined)
            }
          },
        ),
        { numRuns: 30 },
      ))
  })
}
