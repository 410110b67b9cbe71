import { millis, seconds, VirtualWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { InProcessStore } from '../tests/in-process-store.ts'
import { type Widget, widget, widgets } from '../tests/widgets.ts'
import { silentLogger } from '../words/logger.ts'
import { type CacheEntry, ReadCache } from './cache.ts'

function newHouse(seed = 1) {
  const world = new VirtualWorld({ seed })
  const store = new InProcessStore(world)
  const bugs: object[] = []
  const cache = new ReadCache({ store, world, log: { ...silentLogger, error: fields => bugs.push(fields) } })
  const seen: CacheEntry[] = []
  cache.onChange(entry => seen.push(entry))
  const get = (id: string) => cache.platform().get(widgets, id)
  const ids = () =>
    cache
      .platform()
      .list({ kind: widgets })
      .items.map(({ id }) => id)
  return {
    world,
    store,
    cache,
    seen,
    bugs,
    get,
    ids,
    commit: (make: (set: ReturnType<typeof changeSet>) => ReturnType<typeof changeSet>) =>
      world.run(store.commit(make(changeSet(world)))),
    create: (...names: string[]) =>
      world.run(store.commit(names.reduce((set, id) => set.create(widget(id)), changeSet(world)))),
  }
}

test('loads what is there and follows what comes', async () => {
  const { world, cache, create, commit, get, ids } = newHouse()
  await create('a', 'b')
  await world.run(cache.start())
  expect(ids()).toEqual(['a', 'b'])
  expect(cache.revision).toBe(1)
  await commit(set => set.update(get('a')!, { spec: { size: 7 } }).remove(get('b')!))
  expect(ids()).toEqual(['a'])
  expect(get('a')).toMatchObject({ spec: { size: 7 }, generation: 2, revision: 2 })
  expect(cache.revision).toBe(2)
})

test('listeners see each entry once it can be read, with the version before', async () => {
  const { world, cache, create, commit, get, seen } = newHouse()
  await world.run(cache.start())
  const readable: (number | undefined)[] = []
  cache.onChange(({ revision }) => readable.push(revision === cache.revision ? get('a')?.spec.size : undefined))
  await create('a')
  const first = get('a')!
  await commit(set => set.update(first, { spec: { size: 5 } }))
  const second = get('a')!
  await commit(set => set.remove(second))
  expect(seen.map(({ revision, changes }) => ({ revision, changes }))).toEqual([
    { revision: 0, changes: [] },
    { revision: 1, changes: [{ op: 'put', object: first }] },
    { revision: 2, changes: [{ op: 'put', object: second, previous: first }] },
    { revision: 3, changes: [{ op: 'remove', object: second, previous: second }] },
  ])
  expect(readable).toEqual([1, 5, undefined])
})

test('a listener that throws takes nothing from the others', async () => {
  const { world, cache, create, seen, bugs } = newHouse()
  cache.onChange(() => {
    throw new Error('bug')
  })
  const after: number[] = []
  cache.onChange(({ revision }) => after.push(revision))
  await world.run(cache.start())
  await create('a')
  expect(after).toEqual([0, 1])
  expect(bugs).toMatchObject([{ revision: 0 }, { revision: 1 }])
  expect(seen).toHaveLength(2)
})

test('a scope sees its own and nothing else', async () => {
  const { world, cache, commit } = newHouse()
  await world.run(cache.start())
  await commit(set =>
    set
      .create(widget('mine', { projectId: 'p1', organizationId: 'o1', name: 'x' }))
      .create(widget('theirs', { projectId: 'p2', organizationId: 'o1', name: 'x' }))
      .create(widget('far', { projectId: 'p3', organizationId: 'o2', name: 'x' }))
      .create(widget('ours')),
  )
  const ids = (view: ReturnType<typeof cache.platform>) => view.list({ kind: widgets }).items.map(({ id }) => id)
  expect(ids(cache.inProject('p1'))).toEqual(['mine'])
  expect(ids(cache.inOrganization('o1'))).toEqual(['mine', 'theirs'])
  expect(ids(cache.platform())).toEqual(['far', 'mine', 'ours', 'theirs'])
  expect(cache.inProject('p1').get(widgets, 'theirs')).toBeUndefined()
  expect(cache.inProject('p1').get(widgets, 'ours')).toBeUndefined()
  expect(cache.inOrganization('o1').get(widgets, 'far')).toBeUndefined()
  expect(cache.inProject('p1').count({ kind: widgets, name: 'x' })).toBe(1)
  expect(cache.inOrganization('o1').count({ kind: widgets, name: 'x' })).toBe(2)
  expect(ids(cache.platform().within({ project: 'p1' }))).toEqual(['mine'])
  expect(ids(cache.platform().within({ organization: 'o1' }))).toEqual(['mine', 'theirs'])
  expect(() => cache.inProject('p1').within({ project: 'p2' })).toThrow('cannot look into another')
})

test('a scope knows of which kinds it has something, until the last of a kind is gone', async () => {
  const { world, cache, commit } = newHouse()
  await world.run(cache.start())
  await commit(set =>
    set
      .create(widget('mine', { projectId: 'p1', organizationId: 'o1' }))
      .create({ ...widget('other', { projectId: 'p1', organizationId: 'o1' }), kind: 'gadget' })
      .create({ ...widget('far', { organizationId: 'o2' }), kind: 'gizmo' }),
  )
  expect([...cache.inProject('p1').kinds()].sort()).toEqual(['gadget', 'widget'])
  expect(cache.inOrganization('o2').kinds()).toEqual(['gizmo'])
  expect(cache.inProject('p2').kinds()).toEqual([])
  await commit(set => set.remove(cache.platform().get('gadget', 'other')!))
  expect(cache.inProject('p1').kinds()).toEqual(['widget'])
  expect([...cache.platform().kinds()].sort()).toEqual(['gizmo', 'widget'])
})

test('the version of a kind moves when one of it comes, changes or goes, wherever, and not with others', async () => {
  const { world, cache, commit, create, get } = newHouse()
  await world.run(cache.start())
  const scoped = cache.inProject('p1')
  const versions = [scoped.version(widgets)]
  const note = () => versions.push(scoped.version(widgets))
  await create('a')
  note()
  await commit(set => set.update(get('a')!, { spec: { size: 7 } }))
  note()
  await commit(set => set.remove(get('a')!))
  note()
  expect(new Set(versions).size).toBe(4)
  await commit(set => set.create({ ...widget('other'), kind: 'gadget' }))
  expect(scoped.version(widgets)).toBe(versions.at(-1))
})

test('reads of one revision: a page and its revision agree, and what was read never changes', async () => {
  const { world, cache, create, get } = newHouse()
  await world.run(cache.start())
  await create('a')
  const page = cache.platform().list({ kind: widgets })
  await create('b')
  expect(page).toMatchObject({ revision: 1, total: 1 })
  expect(Object.isFrozen(get('a')) && Object.isFrozen(get('a')!.spec)).toBe(true)
})

test('waiting for a revision ends when the cache is there, and not before', async () => {
  const { world, store, cache, create } = newHouse()
  await world.run(cache.start())
  const letGo = store.holdBackLog()
  const { revision } = await create('a')
  let reached = false
  const waiting = cache.reached(revision).then(() => {
    reached = true
  })
  await world.runFor(seconds(1))
  expect(reached).toBe(false)
  letGo()
  await world.run(waiting)
  expect(cache.revision).toBe(revision)
  await cache.reached(revision)
})

test('waiting ends with the signal, and with the cache', async () => {
  const { world, cache } = newHouse()
  await world.run(cache.start())
  const abort = new AbortController()
  const [one, two] = [cache.reached(9, abort.signal), cache.reached(9)]
  abort.abort(new Error('enough'))
  await expect(one).rejects.toThrow('enough')
  const stopped = expect(two).rejects.toThrow('the cache has stopped')
  await world.run(cache.stop())
  await stopped
  await expect(cache.reached(9)).rejects.toThrow('the cache has stopped')
  expect(world.pending).toBe(0)
})

test('fallen behind the compaction point it loads again and tells the difference', async () => {
  const { world, store, cache, create, commit, get, ids, seen } = newHouse()
  await world.run(cache.start())
  await create('kept', 'changed', 'removed')
  const before = { changed: get('changed')!, removed: get('removed')! }
  const comeBack = store.goAway()
  await world.runFor(millis(10))
  comeBack()
  // The cache still waits to ask again: what happens now it will not see as entries.
  await commit(set => set.update(before.changed, { spec: { size: 9 } }).remove(before.removed))
  await create('new')
  await world.run(store.compact(3))
  seen.length = 0
  await world.run(cache.reached(3))
  expect(ids()).toEqual(['changed', 'kept', 'new'])
  expect(seen).toHaveLength(1)
  expect(seen[0]!.revision).toBe(3)
  const told = seen[0]!.changes.map(({ op, object, previous }) => `${op} ${object.id} ${previous?.revision}`)
  expect(told.sort()).toEqual(['put changed 1', 'put new undefined', 'remove removed 1'])
  await create('after')
  expect(seen).toHaveLength(2)
})

test('while the store is away it keeps answering, asks again, and says how far behind it may be', async () => {
  const { world, store, cache, create, ids } = newHouse()
  await create('a')
  await world.run(cache.start())
  await world.runFor(seconds(60))
  expect(cache.lag()).toBe(0)
  const comeBack = store.goAway()
  await world.runFor(seconds(10))
  expect(ids()).toEqual(['a'])
  expect(cache.lag()).toBeCloseTo(10_000)
  comeBack()
  await create('b')
  await world.run(cache.reached(2))
  expect(cache.lag()).toBe(0)
})

test('waits for a store that is away at the start', async () => {
  const { world, store, cache, create, ids } = newHouse()
  await create('a')
  const comeBack = store.goAway()
  const loaded = cache.start()
  await world.runFor(seconds(5))
  expect(cache.loaded).toBe(false)
  comeBack()
  await world.run(loaded)
  expect(ids()).toEqual(['a'])
})

test('the lag of entries that are known and not there yet is their age', async () => {
  const { world, store, cache, create } = newHouse()
  await world.run(cache.start())
  const letGo = store.holdBackLog()
  await create('a')
  cache.lag()
  await world.runFor(seconds(6))
  expect(cache.lag()).toBeGreaterThan(5_900)
  letGo()
  await world.run(cache.reached(1))
  expect(cache.lag()).toBe(0)
})

test('a store that hears nothing is not proof of being current', async () => {
  const { world, store, cache } = newHouse()
  const asked = world.monotonic()
  Object.assign(store, { headAsOf: () => asked })
  await world.run(cache.start())
  await world.runFor(seconds(7))
  expect(cache.lag()).toBe(7_001)
})

test('stopping before it has loaded says so to who waits', async () => {
  const { world, store, cache } = newHouse()
  store.goAway()
  const loaded = expect(cache.start()).rejects.toThrow('the cache has stopped')
  await world.runFor(seconds(1))
  await world.run(cache.stop())
  await loaded
})

test('whatever is committed, lost and compacted, it ends equal to the store and nobody missed anything', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 6, arbitrary: fc.record({ put: fc.constantFrom('a', 'b', 'c', 'd'), size: fc.nat(9) }) },
          { weight: 2, arbitrary: fc.record({ remove: fc.constantFrom('a', 'b', 'c', 'd') }) },
          { weight: 1, arbitrary: fc.constant('outage' as const) },
          { weight: 1, arbitrary: fc.constant('compact' as const) },
          { weight: 2, arbitrary: fc.record({ wait: fc.nat(200) }) },
        ),
        { maxLength: 60 },
      ),
      fc.integer(),
      async (steps, seed) => {
        const { world, store, cache, bugs } = newHouse(seed)
        const followed = new Map<string, Widget>()
        cache.onChange(({ changes }) => {
          for (const { op, object, previous } of changes) {
            expect(followed.get(object.id)).toBe(previous)
            if (op === 'put') followed.set(object.id, object as Widget)
            else followed.delete(object.id)
          }
        })
        await world.run(cache.start())
        const truth = new Map<string, number>()
        for (const step of steps) {
          if (step === 'outage') store.goAway()()
          else if (step === 'compact') await world.run(store.compact(store.head()))
          else if ('wait' in step) await world.runFor(millis(step.wait))
          else if ('put' in step) {
            truth.set(step.put, step.size)
            const set = { ...changeSet(world), puts: [widget(step.put, { size: step.size })] }
            await world.run(store.commit(set))
          } else if (truth.delete(step.remove))
            await world.run(store.commit({ ...changeSet(world), removes: [{ kind: 'widget', id: step.remove }] }))
        }
        await world.run(cache.reached(store.head()))
        const held = cache.platform().list({ kind: widgets }).items
        expect(new Map(held.map(({ id, spec }) => [id, spec.size]))).toEqual(truth)
        expect(new Set(followed.values())).toEqual(new Set(held))
        expect(bugs).toEqual([])
      },
    ),
    { numRuns: 100 },
  ))
