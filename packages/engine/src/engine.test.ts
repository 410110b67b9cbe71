import { hours, millis, minutes, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from './change-set-builder.ts'
import { controller } from './controllers/controller.ts'
import { shardCount } from './controllers/shards.ts'
import { startEngine } from './engine.ts'
import { House, metric, readWidget } from './tests/house.ts'
import { type Widget, widget, widgets } from './tests/widgets.ts'
import { again, done, park } from './words/result.ts'

/** Sets status.size to spec.size, slowly, and says which node did. */
const sizing = (by: string, seen: { id: string; by: string; at: number }[], takes = millis(1)) =>
  controller<Widget>({
    name: 'sizing',
    kind: widgets,
    async reconcile(object, { world, commit, signal }) {
      if (object.status.size === object.spec.size) return done
      await world.sleep(takes, signal)
      await commit(changeSet(world).update(object, { status: { ...object.status, size: object.spec.size } }))
      seen.push({ id: object.id, by, at: world.now() })
      return done
    },
  })

const fill = (house: House, count: number) =>
  house.commit(set => {
    for (let i = 0; i < count; i++) set.create(widget(`w${i}`, { size: 1 }))
  })

test('is ready once it has loaded, and not while it is behind or stopping', async () => {
  const house = new House()
  const engine = startEngine({ store: house.store, world: house.world.node() })
  expect(engine.ready()).toEqual({ ready: false, reasons: ['objects are still being loaded'] })
  await house.world.run(engine.loaded)
  expect(engine.ready()).toEqual({ ready: true, reasons: [] })
  const comeBack = house.store.goAway()
  await house.world.runFor(seconds(4))
  expect(engine.ready().ready).toBe(true)
  await house.world.runFor(seconds(2))
  expect(engine.ready()).toEqual({ ready: false, reasons: ['its view of the store may be 6 s old'] })
  comeBack()
  await house.world.runFor(seconds(2))
  expect(engine.ready().ready).toBe(true)
  const stopped = engine.stop()
  expect(engine.ready()).toEqual({ ready: false, reasons: ['it is stopping'] })
  await house.world.run(stopped)
})

test('a commit is answered when this node reads it', async () => {
  const house = new House()
  const node = await house.start()
  const letGo = house.store.holdBackLog()
  let answered = false
  const committing = node.engine.commit(changeSet(house.world).create(widget('a'))).then(() => {
    answered = true
  })
  await house.world.runFor(seconds(1))
  expect(answered).toBe(false)
  letGo()
  await house.world.run(committing)
  expect(readWidget(node, 'a')).toBeDefined()
})

test('a commit that this node cannot read is not answered as if it could', async () => {
  const house = new House()
  const { engine } = await house.start()
  house.store.holdBackLog()
  const committing = engine.commit(changeSet(house.world).create(widget('a')), { timeout: seconds(3) })
  await expect(house.world.run(committing)).rejects.toThrow('committed at revision 1, which this node cannot read yet')
})

test('nodes share the work, and one takes over what another leaves', async () => {
  const house = new House()
  const seen: { id: string; by: string; at: number }[] = []
  const first = await house.start({ controllers: [sizing('first', seen)] })
  await house.start({ controllers: [sizing('second', seen)] })
  await house.world.runFor(seconds(8))
  await fill(house, 200)
  await house.world.runFor(seconds(1))
  expect(new Set(seen.map(({ id }) => id)).size).toBe(200)
  expect(seen).toHaveLength(200)
  const byFirst = seen.filter(({ by }) => by === 'first').length
  expect(byFirst).toBeGreaterThan(60)
  expect(byFirst).toBeLessThan(140)
  await house.world.run(first.engine.stop())
  seen.length = 0
  await house.commit(set => {
    for (let i = 0; i < 200; i++) set.puts.push(widget(`w${i}`, { size: 2 }))
  })
  await house.world.runFor(seconds(6))
  expect(seen).toHaveLength(200)
  expect(new Set(seen.map(({ by }) => by))).toEqual(new Set(['second']))
})

test('what a node that died was to do is done by another, from what it last wrote', async () => {
  const house = new House()
  const seen: { id: string; by: string; at: number }[] = []
  const dying = house.world.node()
  await house.start({ controllers: [sizing('dying', seen, seconds(3))] }, dying)
  await house.start({ controllers: [sizing('other', seen)] })
  await house.world.runFor(seconds(8))
  await fill(house, 40)
  await house.world.runFor(seconds(1))
  dying.kill()
  const died = house.world.now()
  await house.world.runFor(seconds(16))
  expect(new Set(seen.map(({ id }) => id)).size).toBe(40)
  expect(seen.filter(({ by }) => by === 'dying')).toEqual([])
  const last = Math.max(...seen.map(({ at }) => at))
  expect(last - died).toBeGreaterThan(8_000)
  expect(last - died).toBeLessThanOrEqual(15_100)
})

test('a node begins with a shard only when it has read what was written for it before', async () => {
  const house = new House()
  await fill(house, 1)
  const seen: { id: string; by: string; at: number }[] = []
  const first = await house.start({ controllers: [sizing('first', seen)] })
  await house.world.runFor(millis(50))
  expect(seen).toHaveLength(1)
  const runs: (number | undefined)[] = []
  const second = startEngine({
    store: house.store,
    world: house.world.node(),
    controllers: [
      controller<Widget>({
        name: 'looking',
        kind: widgets,
        reconcile({ status }) {
          runs.push(status.size)
          return done
        },
      }),
    ],
  })
  await house.world.run(second.loaded)
  // The second node hears nothing of the last thing the first one writes.
  const letGo = house.store.holdBackLog()
  const last = changeSet(house.world)
  last.puts.push({ ...widget('w0', { size: 9 }), status: { size: 9 } })
  await house.world.run(house.store.commit(last))
  await house.world.run(first.engine.stop())
  await house.world.runFor(seconds(5))
  expect(second.shards()).toHaveLength(shardCount)
  expect(runs).toEqual([])
  letGo()
  await house.world.runFor(millis(50))
  expect(runs).toEqual([9])
})

test('stopping lets what runs end, aborts what takes too long, and releases the shards', async () => {
  const house = new House()
  await house.commit(set => set.create(widget('quick')).create(widget('slow')).create(widget('deaf')))
  const ended: string[] = []
  const { engine } = await house.start({
    controllers: [
      controller<Widget>({
        name: 'mixed',
        kind: widgets,
        async reconcile({ id }, { world, signal }) {
          if (id === 'deaf') await world.sleep(hours(1))
          await world.sleep(id === 'quick' ? seconds(3) : hours(1), signal).catch(error => {
            ended.push(`${id} ${error.name}`)
            throw error
          })
          ended.push(id)
          return done
        },
      }),
    ],
  })
  const start = house.world.time
  await house.world.run(engine.stop())
  expect(ended).toEqual(['quick', 'slow StoppingError'])
  expect(house.world.time - start).toBeGreaterThan(9_000)
  expect(house.world.time - start).toBeLessThan(9_100)
  const leases = await house.world.run(house.store.leases.list())
  expect(leases.filter(({ remaining }) => remaining > 0)).toEqual([])
  expect(await engine.stop()).toBeUndefined()
})

test('stopping before it has loaded works', async () => {
  const house = new House()
  house.store.goAway()
  const engine = startEngine({ store: house.store, world: house.world.node() })
  const loaded = expect(engine.loaded).rejects.toThrow('the cache has stopped')
  await house.world.runFor(seconds(1))
  await house.world.run(engine.stop())
  await loaded
})

test('every metric is there, at 0, before anything has happened', async () => {
  const house = new House()
  const node = await house.start({ controllers: [sizing('only', [])] })
  for (const result of ['done', 'again', 'retry', 'park', 'conflict', 'lost', 'forgotten'])
    expect(metric(node, `stead_reconciles_total{controller="sizing",result="${result}"}`)).toBe(0)
  for (const name of [
    'stead_queue_depth{controller="sizing",lane="live"}',
    'stead_queue_depth{controller="sizing",lane="resync"}',
    'stead_queue_delayed{controller="sizing"}',
    'stead_queue_parked{controller="sizing"}',
    'stead_queue_oldest_seconds{controller="sizing"}',
    'stead_reconciles_running{controller="sizing"}',
    'stead_reconcile_conflicts_total{controller="sizing"}',
    'stead_reconcile_panics_total{controller="sizing"}',
    'stead_reconcile_duration_seconds_count{controller="sizing"}',
    'stead_cache_revision',
    'stead_cache_objects',
    'stead_cache_lag_seconds',
  ])
    expect(metric(node, name), name).toBe(0)
  expect(metric(node, 'stead_shards_held')).toBe(shardCount)
})

test('metrics say what is going on', async () => {
  const house = new House()
  const slow = controller<Widget>({
    name: 'slow',
    kind: widgets,
    concurrency: 2,
    async reconcile(_object, { world }) {
      await world.sleep(seconds(10))
      return again(minutes(1), 'slow')
    },
  })
  const node = await house.start({ controllers: [slow] })
  await fill(house, 5)
  await house.world.runFor(seconds(4))
  expect(metric(node, 'stead_reconciles_running{controller="slow"}')).toBe(2)
  expect(metric(node, 'stead_queue_depth{controller="slow",lane="live"}')).toBe(3)
  expect(metric(node, 'stead_queue_oldest_seconds{controller="slow"}')).toBeCloseTo(4, 1)
  expect(metric(node, 'stead_cache_objects')).toBe(5)
  await house.world.runFor(seconds(30))
  expect(metric(node, 'stead_queue_delayed{controller="slow"}')).toBe(5)
  expect(metric(node, 'stead_reconciles_total{controller="slow",result="again"}')).toBe(5)
})

test('says what it does, how far behind it is, and what does not come on', async () => {
  const house = new House()
  const mixed = controller<Widget>({
    name: 'mixed',
    kind: widgets,
    concurrency: 3,
    async reconcile({ id }, { world }) {
      if (id === 'w0') throw new Error('never works')
      if (id === 'w1') return park('Lost', 'it is gone')
      await world.sleep(seconds(10))
      return done
    },
  })
  const { engine } = await house.start({ controllers: [mixed] })
  await fill(house, 7)
  await house.world.runFor(seconds(2))
  const { controllers, stuck, ...rest } = engine.describe()
  expect(rest).toMatchObject({ nodeId: engine.nodeId, ready: true, reasons: [], revision: 2, lag: 0, objects: 7 })
  expect(rest.shards).toHaveLength(shardCount)
  expect(controllers).toMatchObject([{ name: 'mixed', kind: 'widget', running: 3, parked: 1 }])
  expect(controllers[0]!.waiting).toEqual({ live: 3, resync: 0 })
  expect(stuck).toMatchObject([
    { kind: 'widget', id: 'w0', controller: 'mixed', state: 'failing' },
    { kind: 'widget', id: 'w1', controller: 'mixed', state: 'parked', condition: { reason: 'Lost' } },
  ])
  await house.commit(set => set.puts.push(widget('w1', { size: 2, status: {} })))
  await house.world.runFor(hours(1))
  expect(engine.describe().stuck).toMatchObject([{ id: 'w0', failures: expect.any(Number) }, { id: 'w1' }])
})

test('names no more than a hundred of what does not come on', async () => {
  const house = new House()
  const hopeless = controller<Widget>({ name: 'hopeless', kind: widgets, reconcile: async () => park('No', 'never') })
  const { engine } = await house.start({ controllers: [hopeless] })
  await fill(house, 150)
  await house.world.runFor(seconds(2))
  expect(engine.describe().stuck).toHaveLength(100)
  expect(engine.describe().controllers).toMatchObject([{ parked: 150 }])
})

test('nothing is written while nothing happens', async () => {
  const house = new House()
  await fill(house, 50)
  await house.start({ controllers: [sizing('only', [])], resyncEvery: minutes(5) })
  await house.world.runFor(minutes(1))
  const { head, commits } = { head: house.store.head(), commits: house.store.calls.commit }
  await house.world.runFor(minutes(30))
  expect([house.store.head(), house.store.calls.commit]).toEqual([head, commits])
})
