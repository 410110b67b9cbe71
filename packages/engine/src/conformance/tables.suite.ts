import { instant } from '@stead/world'
import { describe, expect, test } from 'vitest'
import type { Store } from '../words/store.ts'
import type { StoreFactory } from './factory.ts'
import { conflictOf, logHead, newHome, newSet, pick, shareStores, times, unique, widget } from './fixture.suite.ts'

const bodies = async (store: Store, query: Parameters<Store['records']>[0]) =>
  (await store.records(query)).map(({ body }) => body)

/** What is beside the log: records, marks, and the outcomes of change-sets. */
export function tableSuite(factory: StoreFactory): void {
  describe('records', () => {
    const stores = shareStores(factory)
    const write = (scope: string, subject: string, body: unknown, table = 'events') =>
      stores.one.commit(newSet().record({ table, subject, scope, body }))

    test('are in commit order, newest first, and paged both ways', async () => {
      const scope = unique('scope')
      for (let n = 1; n <= 7; n++) await write(scope, pick(['odd', 'even'], n - 1), n)
      const all = { table: 'events', scope }
      const newest = await stores.one.records({ ...all, limit: 3 })
      expect(newest.map(({ body }) => body)).toEqual([7, 6, 5])
      const { sequence } = newest.at(-1)!
      expect(await bodies(stores.one, { ...all, before: sequence, limit: 3 })).toEqual([4, 3, 2])
      expect(await bodies(stores.one, { ...all, after: sequence, limit: 9 })).toEqual([6, 7])
      expect(await bodies(stores.one, { ...all, after: 0, limit: 3 })).toEqual([1, 2, 3])
      expect(await bodies(stores.one, { ...all, subject: 'odd', limit: 9 })).toEqual([7, 5, 3, 1])
      expect(await bodies(stores.one, { ...all, subject: 'odd', before: sequence, limit: 1 })).toEqual([3])
      expect(await bodies(stores.one, { ...all, subject: 'even', after: sequence, limit: 9 })).toEqual([6])
    })

    test('carry what they are about and when it was', async () => {
      const scope = unique('scope')
      const { at } = await write(scope, 'w', { reason: 'Created', list: [1, null] })
      const [record] = await stores.one.records({ table: 'events', scope, limit: 1 })
      const body = { reason: 'Created', list: [1, null] }
      expect(record).toEqual({ sequence: record?.sequence, at, table: 'events', scope, subject: 'w', body })
    })

    test('of one change-set stay in its order', async () => {
      const scope = unique('scope')
      const set = newSet()
      for (let n = 0; n < 5; n++) set.record({ table: 'events', subject: 'w', scope, body: n })
      await stores.one.commit(set)
      expect(await bodies(stores.one, { table: 'events', scope, after: 0, limit: 9 })).toEqual([0, 1, 2, 3, 4])
    })

    test('of one tenant or table are never seen by asking for another', async () => {
      const scope = unique('scope')
      await write(scope, 'w', 'mine')
      await write(`${scope}x`, 'w', 'theirs')
      await write(scope, 'w', 'audit', 'audit')
      for (const subject of [undefined, 'w']) {
        const of = (table: string, whose: string) =>
          bodies(stores.one, { table, scope: whose, limit: 9, ...(subject && { subject }) })
        expect(await of('events', scope)).toEqual(['mine'])
        expect(await of('audit', scope)).toEqual(['audit'])
        expect(await of('events', '')).toEqual([])
        expect(await of('event', scope)).toEqual([])
      }
    })

    test('64 writers at once: no sequence twice, and their order is the order of the log', async () => {
      const scope = unique('scope')
      const commits = times(64, n => {
        const id = unique('w')
        return pick(stores.all, n)
          .commit(newSet().create(widget(id)).record({ table: 'events', subject: id, scope, body: id }))
          .then(({ revision }) => ({ revision, id }))
      })
      const byRevision = (await Promise.all(commits)).sort((a, b) => a.revision - b.revision)
      const records = await stores.one.records({ table: 'events', scope, after: 0, limit: 100 })
      expect(records.map(({ body }) => body)).toEqual(byRevision.map(({ id }) => id))
      const sequences = records.map(({ sequence }) => sequence)
      expect(new Set(sequences).size).toBe(64)
    })

    test('are forgotten by table and age, oldest first, so many at a time; sequences are never used again', async () => {
      const home = await newHome(factory)
      let store = await home.open()
      const record = (table: string, body: number) =>
        store.commit(newSet().record({ table, subject: 'w', scope: 'p', body }))
      for (let n = 1; n <= 6; n++) await record('events', n)
      const kept = await record('audit', 7)
      const all = { table: 'events', scope: 'p', after: 0, limit: 9 }
      const last = (await store.records(all)).at(-1)!
      const before = instant(last.at + 1)
      expect(await store.expireRecords({ table: 'events', before: instant(0), limit: 10 })).toBe(0)
      expect(await store.expireRecords({ table: 'events', before, limit: 4 })).toBe(4)
      expect(await bodies(store, all)).toEqual([5, 6])
      expect(await store.expireRecords({ table: 'events', before, limit: 4 })).toBe(2)
      expect(await bodies(store, { ...all, table: 'audit' })).toEqual([7])
      await store.expireRecords({ table: 'audit', before: instant(kept.at + 1), limit: 10 })
      await store.close()
      store = await home.open()
      await record('events', 8)
      const [next] = await store.records(all)
      expect(next!.sequence).toBeGreaterThan(last.sequence + 1)
    })
  })

  describe('marks', () => {
    const stores = shareStores(factory)

    test('keep the latest; an older one does not come back', async () => {
      const store = stores.one
      const [a, b] = [unique('mark'), unique('mark')]
      await store.setMarks([
        { mark: a, at: instant(10), value: 'first' },
        { mark: b, at: instant(10), value: 'é🦊' },
      ])
      await store.setMarks([{ mark: a, at: instant(20), value: 'second' }])
      await store.setMarks([{ mark: a, at: instant(15), value: 'late' }])
      const found = await store.marks([a, b, unique('mark')])
      expect([...found].sort((x, y) => y.at - x.at)).toEqual([
        { mark: a, at: instant(20), value: 'second' },
        { mark: b, at: instant(10), value: 'é🦊' },
      ])
    })

    test('of nothing are nothing', async () => {
      await stores.one.setMarks([])
      expect(await stores.one.marks([])).toEqual([])
    })
  })

  describe('measurements', () => {
    const stores = shareStores(factory)
    const piece = (subject: string, track: string, start: number, data = `${track}${start}`) => ({
      ...{ subject, track, start, data },
    })

    test('are read by subject, track and time, and the last of those alike wins', async () => {
      const { series } = stores.one
      const [a, b] = [unique('a'), unique('b')]
      await series.put([piece(b, 'raw', 5), piece(a, 'raw', 20), piece(a, 'raw', 10), piece(a, 'fine', 10)])
      await series.put([piece(a, 'raw', 20, 'first'), piece(a, 'raw', 20, 'é🦊')])
      await series.put([])
      const query = { subjects: [b, a, unique('c')], track: 'raw', from: 5, before: 21 }
      expect(await series.read(query)).toEqual([piece(a, 'raw', 10), piece(a, 'raw', 20, 'é🦊'), piece(b, 'raw', 5)])
      expect(await series.read({ ...query, from: 6, before: 20 })).toEqual([piece(a, 'raw', 10)])
      expect(await series.read({ ...query, subjects: [] })).toEqual([])
    })

    test('are forgotten with what they are about, and by age, so many at once', async () => {
      const { series } = stores.one
      const track = unique('track')
      const subjects = [unique('s'), unique('s'), unique('s')]
      await series.put(subjects.flatMap(subject => [1, 2, 3].map(start => piece(subject, track, start))))
      const all = () => series.read({ subjects, track, from: 0, before: 10 })
      const listed = async (after: string, limit: number) => series.subjects({ after, limit })
      const before = `${subjects[0]!.slice(0, -1)}`
      expect((await listed(before, 100)).filter(each => subjects.includes(each))).toEqual([...subjects].sort())
      expect(await listed(subjects.toSorted()[0]!, 1)).toHaveLength(1)
      expect(await listed('\u{10ffff}', 10)).toEqual([])
      await series.remove([subjects[1]!, unique('other')])
      expect((await all()).map(({ subject }) => subject)).not.toContain(subjects[1])
      expect(await series.expire({ track, before: 3, limit: 3 })).toBe(3)
      expect(await series.expire({ track, before: 3, limit: 3 })).toBe(1)
      expect(await series.expire({ track, before: 3, limit: 3 })).toBe(0)
      expect((await all()).map(({ start }) => start)).toEqual([3, 3])
    })
  })

  describe('a change-set id', () => {
    const stores = shareStores(factory)

    test('sent again answers the same and applies nothing', async () => {
      const counter = unique('counter')
      const set = newSet()
        .create(widget(unique('w')))
        .take(unique('key'), 'a')
        .move(counter, 1)
      const first = await stores.one.commit(set)
      for (const store of stores.all) expect(await store.commit(set)).toEqual(first)
      expect(await stores.one.counters(counter)).toMatchObject([{ value: 1 }])
      for (const store of stores.all) expect(await store.outcome(set.id)).toEqual(first)
    })

    test('sent many times at once has one effect and one answer', async () => {
      const counter = unique('counter')
      const set = newSet()
        .create(widget(unique('w')))
        .move(counter, 1)
      const head = logHead(stores.all)
      const answers = await Promise.all(times(16, n => pick(stores.all, n).commit(set)))
      for (const answer of answers) expect(answer).toEqual(answers[0])
      expect(answers[0]!.revision).toBe(head + 1)
      expect(await stores.one.counters(counter)).toMatchObject([{ value: 1 }])
    })

    test('of what changed no object is known too', async () => {
      const counter = unique('counter')
      const set = newSet().move(counter, 1)
      const first = await stores.one.commit(set)
      await stores.one.commit(newSet().create(widget(unique('w'))))
      expect(await stores.one.commit(set)).toEqual(first)
      expect(await stores.one.outcome(set.id)).toEqual(first)
      expect(await stores.one.counters(counter)).toMatchObject([{ value: 1 }])
    })

    test('that was never sent, or did not apply, has no outcome', async () => {
      const set = newSet().expectKey(unique('key'), 'a')
      expect(await stores.one.outcome(set.id)).toBeUndefined()
      await conflictOf(stores.one.commit(set))
      expect(await stores.one.outcome(set.id)).toBeUndefined()
    })

    test('asked for while its commit is under way answers what comes of it', async () => {
      const set = newSet().create(widget(unique('w')))
      const commit = stores.one.commit(set)
      const outcome = stores.one.outcome(set.id)
      expect(await outcome).toEqual(await commit)
    })

    const { loseNextAnswer } = factory
    if (loseNextAnswer)
      test('whose answer is lost is resolved by itself', async () => {
        const store = await (await newHome(factory)).open()
        const set = newSet().create(widget('w')).move('counter', 1)
        loseNextAnswer(store)
        const { revision } = await store.commit(set)
        expect(revision).toBe(1)
        expect(await store.outcome(set.id)).toMatchObject({ revision })
        expect(await store.counters('counter')).toMatchObject([{ value: 1 }])
      })

    test('is forgotten by age, oldest first, so many at a time', async () => {
      const store = await (await newHome(factory)).open()
      const sets = times(4, () => newSet().move('counter', 1))
      for (const set of sets) await store.commit(set)
      const { at } = (await store.outcome(sets[3]!.id))!
      expect(await store.expireOutcomes({ before: instant(0), limit: 10 })).toBe(0)
      expect(await store.expireOutcomes({ before: instant(at + 1), limit: 3 })).toBe(3)
      expect(await Promise.all(sets.map(async ({ id }) => (await store.outcome(id)) !== undefined))).toEqual([
        false,
        false,
        false,
        true,
      ])
      expect(await store.expireOutcomes({ before: instant(at + 1), limit: 3 })).toBe(1)
    })
  })
}
