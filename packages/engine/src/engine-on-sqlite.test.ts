import { temporaryDirectory } from '@stead/testing'
import { millis, newId, realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test, vi } from 'vitest'
import { changeSet } from './change-set-builder.ts'
import { controller, owned } from './controllers/controller.ts'
import { addFinalizer, hasFinalizer, letGo } from './controllers/finalizers.ts'
import { type Engine, type EngineOptions, startEngine } from './engine.ts'
import { openSqliteStore } from './sqlite/open-store.ts'
import { type Widget, widget, widgets } from './tests/widgets.ts'
import { again, done } from './words/result.ts'
import type { Store } from './words/store.ts'

const world = realWorld

async function open(directory: string): Promise<Store> {
  const store = await openSqliteStore({ directory, world })
  onTestFinished(() => store.close())
  return store
}

async function start(store: Store, options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = startEngine({ store, world, leaseTtl: seconds(3), renewEvery: seconds(1), ...options })
  onTestFinished(() => engine.stop())
  await engine.loaded
  return engine
}

const all = (engine: Engine) => engine.cache.platform().list({ kind: widgets }).items
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 })

/** Widgets are made outside; what is there is a part they own. */
const parts = controller<Widget>({
  name: 'parts',
  kind: widgets,
  wakes: [owned('part')],
  async reconcile(object, { cache, commit, world: clock }) {
    const [part] = cache.list({ kind: 'part', owner: object }).items
    if (object.deletedAt !== undefined) {
      if (!hasFinalizer(object, 'part')) return done
      const set = letGo(changeSet(clock), object, 'part', set => set.release(`name/${object.id}`, object.id))
      await commit(part ? set.remove(part) : set)
      return done
    }
    if (!hasFinalizer(object, 'part')) await commit(changeSet(clock).update(object, addFinalizer(object, 'part')))
    else if (!part)
      await commit(
        changeSet(clock).create({
          ...widget(`part-${object.id}`),
          kind: 'part',
          owner: { kind: 'widget', id: object.id },
        }),
      )
    else if (object.status.size !== object.spec.size)
      await commit(changeSet(clock).update(object, { status: { size: object.spec.size } }))
    return done
  },
})

const create = (engine: Engine, size = 1) => {
  const id = newId(world, 'wid')
  return engine.commit(changeSet(world).create(widget(id, { size })).take(`name/${id}`, id)).then(() => id)
}

test('each of many writers reads its own write as soon as it is answered', async () => {
  const engine = await start(await open(temporaryDirectory()))
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      for (let i = 0; i < 5; i++) {
        const id = await create(engine)
        expect(engine.cache.platform().get(widgets, id)).toBeDefined()
      }
    }),
  )
  expect(engine.cache.platform().count({ kind: widgets })).toBe(320)
  expect(engine.cache.revision).toBe(320)
})

test('a life from creation to removal leaves nothing behind', async () => {
  const store = await open(temporaryDirectory())
  const engine = await start(store, { controllers: [parts] })
  const ids = await Promise.all(Array.from({ length: 100 }, (_, size) => create(engine, size)))
  await eventually(() => expect(all(engine).filter(({ spec, status }) => status.size === spec.size)).toHaveLength(100))
  expect(engine.cache.platform().count({ kind: 'part' })).toBe(100)
  const mark = (object: Widget) => engine.commit(changeSet(world).update(object, { deletedAt: world.now() }))
  await Promise.all(all(engine).map(mark))
  await eventually(() => expect(engine.cache.size).toBe(0))
  for (const id of ids) expect(await store.keyHolder(`name/${id}`)).toBeUndefined()
})

test('what was begun before a restart is finished after it, and then nothing is written any more', async () => {
  const directory = temporaryDirectory()
  const store = await open(directory)
  const engine = await start(store)
  await Promise.all(Array.from({ length: 50 }, (_, size) => create(engine, size)))
  await engine.stop()
  await store.close()
  const reopened = await open(directory)
  const next = await start(reopened, { controllers: [parts], resyncEvery: seconds(2) })
  await eventually(() => expect(all(next).filter(({ spec, status }) => status.size === spec.size)).toHaveLength(50))
  await world.sleep(millis(200))
  const head = reopened.head()
  await world.sleep(seconds(3))
  expect(reopened.head()).toBe(head)
  expect(next.shards()).toHaveLength(32)
})

test('two nodes on one store share the shards, and the one that stops hands its work over', async () => {
  const store = await open(temporaryDirectory())
  const by: Record<string, string> = {}
  const marking = (node: string) =>
    controller<Widget>({
      name: 'marking',
      kind: widgets,
      reconcile({ id }) {
        by[id] = node
        return again(millis(200), 'marking')
      },
    })
  const first = await start(store, { controllers: [marking('first')] })
  await eventually(() => expect(first.shards()).toHaveLength(32))
  await Promise.all(Array.from({ length: 64 }, () => create(first)))
  const second = await start(store, { controllers: [marking('second')] })
  await eventually(() => expect([first.shards().length, second.shards().length]).toEqual([16, 16]))
  await eventually(() => {
    expect(Object.values(by).filter(node => node === 'second').length).toBeGreaterThan(10)
    expect(Object.values(by).filter(node => node === 'first').length).toBeGreaterThan(10)
  })
  await first.stop()
  await eventually(() => expect(new Set(Object.values(by))).toEqual(new Set(['second'])))
  expect(Object.keys(by)).toHaveLength(64)
})
