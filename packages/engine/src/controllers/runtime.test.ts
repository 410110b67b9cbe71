import { millis, minutes, seconds, type World } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { House, metric, readWidget } from '../tests/house.ts'
import { type Widget, widget, widgets } from '../tests/widgets.ts'
import { findCondition } from '../words/condition.ts'
import { again, done, park, type Result, retry } from '../words/result.ts'
import { type Controller, controller, owned, type ReconcileContext } from './controller.ts'

/** A controller that writes down its runs and does as told. */
function watching(
  reconcile: (widget: Widget, context: ReconcileContext, run: number) => Promise<Result> | Result = () => done,
  rest: Partial<Controller<Widget>> = {},
) {
  const runs: { id: string; at: number; revision: number }[] = []
  const definition = controller({
    name: 'widgets',
    kind: widgets,
    reconcile(object, context) {
      runs.push({ id: object.id, at: context.world.monotonic(), revision: object.revision })
      return reconcile(object, context, runs.filter(({ id }) => id === object.id).length)
    },
    ...rest,
  })
  return { controller: definition, runs, ids: () => runs.map(({ id }) => id).join(' ') }
}

const setSize = (object: Widget, context: ReconcileContext) =>
  context.commit(changeSet(context.world).update(object, { status: { ...object.status, size: object.spec.size } }))

test('what exists at the start is looked at, then whatever changes', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')).create(widget('b')))
  const { controller, ids } = watching()
  await house.start({ controllers: [controller] })
  expect(ids().split(' ').toSorted()).toEqual(['a', 'b'])
  await house.commit(set => set.create(widget('c')))
  await house.world.runFor(millis(10))
  expect(ids().endsWith('c')).toBe(true)
})

test('a reconcile that wrote is followed by one that reads it', async () => {
  const house = new House()
  const { controller, runs } = watching(async (object, context) => {
    if (object.status.size === object.spec.size) return done
    await setSize(object, context)
    expect(context.cache.get(widgets, object.id)!.status.size).toBe(object.spec.size)
    return done
  })
  const node = await house.start({ controllers: [controller] })
  await house.commit(set => set.create(widget('a', { size: 3 })))
  await house.world.runFor(millis(100))
  expect(readWidget(node, 'a')!.status.size).toBe(3)
  expect(runs.map(({ revision }) => revision)).toEqual([1, 2])
})

test('one that looks again by itself is not woken by what it wrote, but by what others do meanwhile', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')).create(widget('b')))
  const { controller, runs } = watching(
    async (object, context) => {
      if (object.status.size === object.spec.size) return done
      await setSize(object, context)
      const written = context.cache.get(widgets, object.id)!
      if (object.id === 'b') await house.store.commit(changeSet(context.world).update(written, { labels: { b: '' } }))
      return done
    },
    { looksAgain: true },
  )
  await house.start({ controllers: [controller] })
  await house.world.runFor(seconds(1))
  expect(runs.filter(({ id }) => id === 'a')).toHaveLength(1)
  expect(runs.filter(({ id }) => id === 'b')).toHaveLength(2)
})

test('a commit is over when this node reads what was written, not before', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a', { size: 3 })))
  const letGo = house.store.holdBackLog()
  const read: (number | undefined)[] = []
  const { controller } = watching(async (object, context) => {
    await setSize(object, context)
    read.push(context.cache.get(widgets, object.id)!.status.size)
    return again(minutes(5), 'later')
  })
  await house.start({ controllers: [controller] })
  await house.world.runFor(seconds(1))
  expect([house.store.head(), read]).toEqual([2, []])
  letGo()
  await house.world.runFor(millis(10))
  expect(read).toEqual([3])
})

test('a change of what it owns wakes the owner, and only it', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')).create(widget('b')))
  const { controller, runs } = watching(undefined, { wakes: [owned('part')] })
  await house.start({ controllers: [controller] })
  runs.length = 0
  const part = { ...widget('p'), kind: 'part', owner: { kind: 'widget', id: 'b' } }
  await house.commit(set => set.create(part))
  await house.world.runFor(millis(10))
  expect(runs.map(({ id }) => id)).toEqual(['b'])
})

test('a part that changes hands wakes both owners', async () => {
  const house = new House()
  const part = { ...widget('p'), kind: 'part', owner: { kind: 'widget', id: 'b' } }
  await house.commit(set => set.create(widget('a')).create(widget('b')).create(part))
  const { controller, runs } = watching(undefined, { wakes: [owned('part')] })
  await house.start({ controllers: [controller] })
  runs.length = 0
  await house.commit(set => set.puts.push({ ...part, owner: { kind: 'widget', id: 'a' } }))
  await house.world.runFor(millis(10))
  expect(runs.map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
})

test('other objects wake keys through an index; a bug in that is contained and counted', async () => {
  const house = new House()
  await house.commit(set =>
    set
      .create(widget('a', { size: 1 }))
      .create(widget('b', { size: 2 }))
      .create(widget('c', { size: 1 })),
  )
  const bySize = { name: 'size', kind: widgets, keys: ({ spec }: Widget) => [String(spec.size)] }
  const { controller, runs } = watching(undefined, {
    wakes: [
      {
        kind: 'size',
        keys: () => {
          throw new Error('bug')
        },
      },
      {
        kind: 'size',
        keys: ({ object }, { cache, kind }) =>
          cache.list({ kind, index: { name: 'size', key: object.id } }).items.map(({ id }) => id),
      },
    ],
  })
  const node = await house.start({ controllers: [controller], indexes: [bySize] })
  runs.length = 0
  await house.commit(set => set.create({ ...widget('1'), kind: 'size' }))
  await house.world.runFor(millis(10))
  expect(runs.map(({ id }) => id)).toEqual(['a', 'c'])
  expect(metric(node, 'stead_reconcile_panics_total{controller="widgets"}')).toBe(1)
})

test('a throw, at once or later, is a retry that waits longer each time, and concerns no other key', async () => {
  const house = new House()
  const { controller, runs } = watching(({ id }, _context, run) => {
    if (id === 'fine' || run > 4) return done
    if (run % 2 === 1) throw new Error('at once')
    return Promise.reject(new Error('later'))
  })
  const node = await house.start({ controllers: [controller] })
  await house.commit(set => set.create(widget('broken')).create(widget('fine')))
  await house.world.runFor(seconds(1))
  expect(runs.filter(({ id }) => id === 'fine')).toHaveLength(1)
  const times = runs.filter(({ id }) => id === 'broken').map(({ at }) => at)
  expect(times).toHaveLength(5)
  for (const [i, cap] of [5, 10, 20, 40].entries()) expect(times[i + 1]! - times[i]!).toBeGreaterThanOrEqual(cap / 2)
  expect(metric(node, 'stead_reconcile_panics_total{controller="widgets"}')).toBe(4)
  expect(metric(node, 'stead_reconciles_total{controller="widgets",result="retry"}')).toBe(4)
  expect(node.log.filter(({ message }) => message === 'reconcile failed')[0]!.fields).toMatchObject({
    controller: 'widgets',
    kind: 'widget',
    id: 'broken',
  })
})

test('a conflict is no failure: it is tried again as soon as the cache has seen what it ran into', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const { controller, runs } = watching(async (object, context, run) => {
    if (run === 1) await house.store.commit({ ...changeSet(context.world), puts: [widget('a', { size: 8 })] })
    // The version it was given is older than what it just saw being written.
    await context.commit(changeSet(context.world).update(object, { status: { size: object.spec.size } }))
    return again(seconds(60), 'seen')
  })
  const node = await house.start({ controllers: [controller] })
  await house.world.runFor(millis(200))
  expect(readWidget(node, 'a')!.status.size).toBe(8)
  expect(runs).toHaveLength(2)
  expect(runs[1]!.at - runs[0]!.at).toBeLessThan(30)
  expect(metric(node, 'stead_reconcile_conflicts_total{controller="widgets"}')).toBe(1)
  expect(metric(node, 'stead_reconciles_total{controller="widgets",result="conflict"}')).toBe(1)
  expect(metric(node, 'stead_reconcile_panics_total{controller="widgets"}')).toBe(0)
})

test('a key that can never commit does not spin', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')).take('name/x', 'somebody'))
  const { controller, runs } = watching(async (_object, context) => {
    await context.commit(changeSet(context.world).take('name/x', 'a'))
    return done
  })
  await house.start({ controllers: [controller] })
  await house.world.runFor(seconds(10))
  expect(runs.length).toBeGreaterThan(10)
  expect(runs.length).toBeLessThan(50)
})

test('what a reconcile writes itself does not cut short the time it asked for', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('again')).create(widget('retry')))
  const { controller, runs } = watching(async (object, context, run) => {
    await context.commit(changeSet(context.world).update(object, { status: { size: run } }))
    return object.id === 'again' ? again(seconds(5), 'sampling') : retry(new Error('no'))
  })
  await house.start({ controllers: [controller] })
  await house.world.runFor(seconds(21))
  expect(runs.filter(({ id }) => id === 'again')).toHaveLength(5)
  // 5 ms doubling: 12 failures fill 10 to 20 s.
  expect(runs.filter(({ id }) => id === 'retry').length).toBeLessThan(16)
})

test('a commit that changes no object does not hide the change of somebody else', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const { controller, runs } = watching(async (_object, context, run) => {
    if (run === 1) {
      await house.store.commit({ ...changeSet(context.world), puts: [widget('a', { size: 2 })] })
      // Answers the head of the log, which is the change above.
      await context.commit(changeSet(context.world).record({ table: 't', subject: 'a', scope: 'p', body: {} }))
    }
    return again(minutes(5), 'later')
  })
  await house.start({ controllers: [controller] })
  await house.world.runFor(seconds(1))
  expect(runs.map(({ revision }) => revision)).toEqual([1, 2])
})

test('what was told as a sum, because the log was gone, is not taken for an own write', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const { controller, runs } = watching(
    async (object, context, run) => {
      if (run > 1) return again(minutes(5), 'later')
      house.store.goAway()()
      const part = { ...widget('p'), kind: 'part', owner: { kind: 'widget', id: 'a' } }
      await house.store.commit(changeSet(context.world).create(part))
      const writing = setSize(object, context)
      await context.world.sleep(millis(5))
      // The part and its own write are now one entry, at the revision of its own write.
      await house.store.compact(house.store.head())
      await writing
      return again(minutes(5), 'later')
    },
    { wakes: [owned('part')] },
  )
  await house.start({ controllers: [controller] })
  await house.world.runFor(seconds(1))
  expect(runs).toHaveLength(2)
})

test('parked: shown once, left alone by the resync, looked at again after a change, and shown no longer', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')).create(widget('b')))
  const { controller, runs } = watching(({ id, spec }) =>
    id === 'a' && spec.size < 5 ? park('TooSmall', 'make it at least 5') : done,
  )
  const node = await house.start({ controllers: [controller], resyncEvery: seconds(10) })
  await house.world.runFor(seconds(60))
  const condition = () => findCondition(readWidget(node, 'a')!.status.conditions, 'Parked')
  expect(condition()).toMatchObject({ status: 'true', reason: 'TooSmall', message: 'make it at least 5' })
  expect(runs.filter(({ id }) => id === 'a')).toHaveLength(1)
  expect(runs.filter(({ id }) => id === 'b').length).toBeGreaterThan(4)
  expect(metric(node, 'stead_queue_parked{controller="widgets"}')).toBe(1)
  const { revision } = readWidget(node, 'a')!
  await house.commit(set => set.update(readWidget(node, 'a')!, { labels: { touched: 'yes' } }))
  await house.world.runFor(seconds(1))
  expect(runs.filter(({ id }) => id === 'a')).toHaveLength(2)
  // Still too small, for the same reason: nothing to write.
  expect(readWidget(node, 'a')!.revision).toBe(revision + 1)
  await house.commit(set => set.update(readWidget(node, 'a')!, { spec: { size: 5 } }))
  await house.world.runFor(seconds(1))
  expect(condition()).toBeUndefined()
  expect(metric(node, 'stead_queue_parked{controller="widgets"}')).toBe(0)
})

test('after a restart a parked key is looked at once, and writes nothing', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const first = watching(() => park('Never', 'no'))
  const { engine } = await house.start({ controllers: [first.controller] })
  await house.world.run(engine.stop())
  const before = house.store.head()
  const second = watching(() => park('Never', 'no'))
  await house.start({ controllers: [second.controller], resyncEvery: seconds(5) })
  await house.world.runFor(seconds(30))
  expect(second.runs).toHaveLength(1)
  expect(house.store.head()).toBe(before)
})

test('what only waits does not hold up a node that stops, also when it begins to wait only then', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('early')).create(widget('late')))
  const { controller } = watching(async ({ id }, { leaving, world }) => {
    if (id === 'late') await world.sleep(seconds(2))
    if (!leaving.aborted) await new Promise(resolve => leaving.addEventListener('abort', resolve))
    return done
  })
  const { engine } = await house.start({ controllers: [controller] })
  await house.world.runFor(seconds(1))
  const began = house.world.monotonic()
  await house.world.run(engine.stop())
  expect(house.world.monotonic() - began).toBeLessThanOrEqual(seconds(1))
})

test('an object that is gone is forgotten', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const forgotten: string[] = []
  const { controller } = watching(undefined, { forgotten: ({ kind, id }) => void forgotten.push(`${kind}/${id}`) })
  const node = await house.start({ controllers: [controller] })
  await house.commit(set => set.remove(readWidget(node, 'a')!))
  await house.world.runFor(millis(10))
  expect(forgotten).toEqual(['widget/a'])
  expect(metric(node, 'stead_reconciles_total{controller="widgets",result="forgotten"}')).toBe(1)
})

test('every key has its turn once in a period, and not all at one moment', async () => {
  const house = new House()
  await house.commit(set => {
    for (let i = 0; i < 100; i++) set.create(widget(`w${i}`))
  })
  const { controller, runs } = watching()
  await house.start({ controllers: [controller], resyncEvery: minutes(10) })
  runs.length = 0
  await house.world.runFor(minutes(11))
  const perKey = Map.groupBy(runs, ({ id }) => id)
  expect(perKey.size).toBe(100)
  for (const times of perKey.values()) expect(times.length).toBeLessThanOrEqual(2)
  const perMinute = Map.groupBy(runs, ({ at }) => Math.floor(at / 60_000))
  for (const some of perMinute.values()) expect(some.length).toBeLessThan(25)
})

test('a change is written under the fence of its shard: a node whose clock lies cannot write', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('a')))
  const node = house.world.node()
  // Its clock runs at a tenth of the speed: it takes its leases to last for ever.
  const slow: World = {
    now: () => node.now(),
    monotonic: () => millis(node.monotonic() / 10),
    setTimer: (delay, fire) => node.setTimer(millis(delay * 10), fire),
    sleep: (delay, signal) => node.sleep(millis(delay * 10), signal),
    random: () => node.random(),
    randomBytes: length => node.randomBytes(length),
  }
  const refusals: unknown[] = []
  const liar = watching(async (object, context) => {
    await node.sleep(seconds(30))
    await setSize(object, context).catch(error => refusals.push(error.conflict))
    return again(minutes(60), 'done')
  })
  await house.start({ controllers: [liar.controller] }, slow)
  expect(liar.runs).toHaveLength(1)
  await house.world.runFor(seconds(16))
  const honest = watching(() => again(minutes(60), 'watching'))
  await house.start({ controllers: [honest.controller] })
  expect(honest.runs).toHaveLength(1)
  await house.world.runFor(seconds(20))
  expect(refusals).toMatchObject([{ type: 'fence', expected: 1, actual: 2 }])
  expect(house.store.head()).toBe(1)
})

test('two controllers may look at one kind, if they show "parked" in different conditions', async () => {
  const house = new House()
  const one = watching(() => park('One', 'one'))
  const twin = { ...one.controller, name: 'twin' }
  await expect(house.start({ controllers: [one.controller, one.controller] })).rejects.toThrow('the same name')
  await expect(house.start({ controllers: [one.controller, twin] })).rejects.toThrow('set parkedCondition')
  await house.commit(set => set.create(widget('a')))
  const node = await house.start({ controllers: [one.controller, { ...twin, parkedCondition: 'TwinParked' }] })
  await house.world.runFor(seconds(1))
  const types = readWidget(node, 'a')!.status.conditions!.map(({ type }) => type)
  expect(types.toSorted()).toEqual(['Parked', 'TwinParked'])
})
