import { instant } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { GoneError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import type { Revision } from '../words/object.ts'
import type { Store } from '../words/store.ts'
import type { StoreFactory } from './factory.ts'
import {
  byRef,
  logHead,
  never,
  newHome,
  newSet,
  pick,
  readAll,
  replay,
  shareStores,
  take,
  times,
  unique,
  widget,
} from './fixture.suite.ts'

/** 64 writers over all nodes, each writing one after another; answers what each was told. */
async function writeFrom64(stores: readonly Store[], rounds: number): Promise<Map<Revision, string>> {
  const acknowledged = new Map<Revision, string>()
  const name = unique('w')
  await Promise.all(
    times(64, async writer => {
      for (let round = 0; round < rounds; round++) {
        const id = `${name}-${writer}-${round}`
        const { revision } = await pick(stores, writer).commit(newSet().create(widget(id)))
        expect(acknowledged.has(revision), `revision ${revision} was given twice`).toBe(false)
        acknowledged.set(revision, id)
      }
    }),
  )
  return acknowledged
}

const idsOf = (entries: readonly LogEntry[]): [Revision, string][] =>
  entries.map(({ revision, changes }) => [revision, changes.map(({ object }) => object.id).join()])

export function logSuite(factory: StoreFactory): void {
  describe('the log', () => {
    const stores = shareStores(factory)

    test('64 writers at once: every revision once, no hole, and the log is what was acknowledged', async () => {
      const start = logHead(stores.all)
      const acknowledged = await writeFrom64(stores.all, 8)
      const expected = times(64 * 8, n => start + 1 + n)
      expect([...acknowledged.keys()].sort((a, b) => a - b)).toEqual(expected)
      for (const store of stores.all) {
        const entries = await take(store, start, expected.length)
        expect(idsOf(entries)).toEqual(expected.map(revision => [revision, acknowledged.get(revision)]))
        const moments = entries.map(({ at }) => at)
        expect(moments).toEqual(moments.toSorted((a, b) => a - b))
      }
    })

    test('a change-set that changes no object leaves no entry and answers with a position of the log', async () => {
      const store = stores.one
      const before = await store.commit(newSet().create(widget(unique('w'))))
      const answer = await store.commit(newSet().take(unique('key'), 'a').move(unique('counter'), 1))
      const after = await store.commit(newSet().create(widget(unique('w'))))
      expect(answer.revision).toBe(before.revision)
      expect(after.revision).toBe(before.revision + 1)
    })

    test('an answered write is in the log of the node that answered it', async () => {
      for (const store of stores.all) {
        const { revision } = await store.commit(newSet().create(widget(unique('w'))))
        expect(store.head()).toBeGreaterThanOrEqual(revision)
      }
    })

    test('watchers that come and go anywhere while 64 writers write see each revision once', async () => {
      const start = logHead(stores.all)
      const total = 64 * 8
      const watchers = times(24, async n => {
        const store = pick(stores.all, n)
        // Some from the past, some from the present, some from where no node is yet.
        const after = start + Math.floor((n * total) / 24)
        const count = 1 + ((n * 37) % 200)
        const seen = await take(store, after, Math.min(count, start + total - after))
        return { after, seen }
      })
      const acknowledged = await writeFrom64(stores.all, 8)
      const late = times(8, async n => {
        const after = start + n * 60
        return { after, seen: await take(pick(stores.all, n), after, start + total - after) }
      })
      for (const { after, seen } of await Promise.all([...watchers, ...late])) {
        const expected = seen.map((_, n) => [after + 1 + n, acknowledged.get(after + 1 + n)])
        expect(idsOf(seen)).toEqual(expected)
      }
    })

    test('everyone sees the same entries: live, from the past, and on every node', async () => {
      const start = logHead(stores.all)
      const live = stores.all.map(store => take(store, start, 3))
      const id = unique('w')
      const { revision } = await stores.one.commit(
        newSet()
          .create(widget(id))
          .create(widget(`${id}-2`)),
      )
      const [entry] = await take(stores.one, revision - 1, 1)
      const [first, second] = entry!.changes.map(({ object }) => object)
      await stores.one.commit(
        newSet()
          .update(first!, { spec: { size: 2 } })
          .remove(second!),
      )
      await stores.one.commit({ ...newSet(), removes: [{ kind: 'widget', id }] })
      const [reference, ...others] = await Promise.all(live)
      expect(reference!.map(({ changes }) => changes.map(({ op }) => op))).toEqual([
        ['put', 'put'],
        ['remove', 'put'],
        ['remove'],
      ])
      for (const seen of others) expect(seen).toEqual(reference)
      for (const store of stores.all) expect(await take(store, start, 3)).toEqual(reference)
    })

    test('a watch ends when its signal is aborted, also one that waits', async () => {
      const stop = new AbortController()
      const watching = (async () => {
        for await (const _batch of stores.one.watch(stores.one.head(), stop.signal))
          throw new Error('nothing was written')
        return 'ended'
      })()
      stop.abort()
      expect(await watching).toBe('ended')
    })
  })

  describe('a snapshot', () => {
    test('is of one revision, whatever is written meanwhile', async () => {
      const nodes = await (await newHome(factory)).openAll()
      const pairs = times(20, n => `pair-${n}`)
      const create = newSet()
      for (const pair of pairs) create.create(widget(`${pair}-a`, { n: 0 })).create(widget(`${pair}-b`, { n: 0 }))
      await nodes[0]!.commit(create)
      let writing = true
      const writers = times(16, async writer => {
        for (let n = 1; writing; n++) {
          const pair = pick(pairs, writer + n)
          const spec = { n: writer * 1_000_000 + n }
          await pick(nodes, writer).commit({
            ...newSet(),
            puts: [widget(`${pair}-a`, spec), widget(`${pair}-b`, spec)],
          })
        }
      })
      const log: LogEntry[] = []
      for (let round = 0; round < 10; round++) {
        const { revision, objects } = await readAll(pick(nodes, round))
        const found = byRef(objects)
        for (const pair of pairs)
          expect(found.get(`widget/${pair}-a`)!.spec).toEqual(found.get(`widget/${pair}-b`)!.spec)
        log.push(...(await take(nodes[0]!, log.length, revision - log.length)))
        expect(found).toEqual(replay(log))
      }
      writing = false
      await Promise.all(writers)
    })

    test('of an empty store is empty, at revision 0', async () => {
      const store = await (await newHome(factory)).open()
      expect(await readAll(store)).toEqual({ revision: 0, objects: [] })
      expect(store.head()).toBe(0)
      expect(await store.compacted()).toBe(0)
    })

    test('may be left early', async () => {
      const store = await (await newHome(factory)).open()
      await store.commit(newSet().create(widget('a')))
      for await (const _chunk of (await store.snapshot()).objects) break
      await store.commit(newSet().create(widget('b')))
      expect((await readAll(store)).objects).toHaveLength(2)
    })
  })

  describe('compaction', () => {
    const write = async (store: Store, count: number) => {
      let revision = store.head()
      for (let n = 0; n < count; n++)
        ({ revision } = await store.commit({ ...newSet(), puts: [widget(`w-${n % 7}`, n)] }))
      return revision
    }

    test('under a slow watcher: gone, and a list with a watch from it is whole again', async () => {
      const [store, ...others] = await (await newHome(factory)).openAll()
      const head = await write(store!, 20)
      const slow = store!.watch(0, never)[Symbol.asyncIterator]()
      await slow.next()
      await write(store!, 20)
      await store!.compact(head + 10)
      await expect(drain(slow)).rejects.toBeInstanceOf(GoneError)
      for (const node of [store!, ...others]) {
        const { revision, objects } = await readAll(node)
        const following = take(node, revision, 5)
        if (node === store) await write(store, 5)
        else await write(node, 5)
        const copy = replay(await following, objects)
        const now = await readAll(node)
        expect(copy).toEqual(byRef(now.objects))
      }
    })

    test('forgets exactly through its revision, on every node, and no object', async () => {
      const nodes = await (await newHome(factory)).openAll()
      const head = await write(nodes[0]!, 12)
      const before = await readAll(nodes[0]!)
      await nodes[0]!.compact(5)
      for (const store of nodes) {
        expect(await store.compacted()).toBe(5)
        await expect(take(store, 4, 1)).rejects.toMatchObject({ compacted: 5 })
        expect((await take(store, 5, head - 5)).map(({ revision }) => revision)).toEqual(times(head - 5, n => n + 6))
        expect(await readAll(store)).toEqual(before)
      }
    })

    test('goes only forward and never past the head', async () => {
      const store = await (await newHome(factory)).open()
      const head = await write(store, 8)
      await store.compact(5)
      await store.compact(3)
      expect(await store.compacted()).toBe(5)
      await store.compact(1_000)
      expect(await store.compacted()).toBe(head)
      expect(store.head()).toBe(head)
      const { revision } = await store.commit(newSet().create(widget('next')))
      expect(revision).toBe(head + 1)
      expect(idsOf(await take(store, head, 1))).toEqual([[head + 1, 'next']])
    })

    test('runs while 64 writers write, and whoever keeps up misses nothing', async () => {
      const nodes = await (await newHome(factory)).openAll()
      const total = 64 * 6
      const seen = nodes.map(() => [] as LogEntry[])
      const following = nodes.map(async (store, node) => {
        for await (const batch of store.watch(0, never)) if (seen[node]!.push(...batch) >= total) return
      })
      const compactor = (async () => {
        for (let slowest = 0; slowest < total; slowest = Math.min(...seen.map(({ length }) => length))) {
          await nodes[0]!.compact(slowest)
          await new Promise(resolve => setImmediate(resolve))
        }
      })()
      const acknowledged = await writeFrom64(nodes, 6)
      await Promise.all([...following, compactor])
      const expected = times(total, n => [n + 1, acknowledged.get(n + 1)])
      for (const entries of seen) expect(idsOf(entries)).toEqual(expected)
      expect(await nodes[0]!.compacted()).toBeGreaterThan(0)
    })

    test('an age is a revision: the newest at or before a moment', async () => {
      const store = await (await newHome(factory)).open()
      await write(store, 30)
      const entries = await take(store, 0, 30)
      for (const { at } of entries) {
        const expected = entries.findLast(entry => entry.at <= at)!.revision
        expect(await store.revisionAt(at)).toBe(expected)
      }
      expect(await store.revisionAt(instant(entries[0]!.at - 1))).toBe(0)
      expect(await store.revisionAt(instant(entries.at(-1)!.at + 1_000_000))).toBe(30)
      await store.compact(10)
      expect(await store.revisionAt(instant(0))).toBe(10)
    })
  })
}

async function drain(iterator: AsyncIterator<readonly LogEntry[]>): Promise<void> {
  while (!(await iterator.next()).done);
}
