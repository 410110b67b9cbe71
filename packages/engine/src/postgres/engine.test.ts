import { describeWith } from '@stead/testing'
import { millis, newId, realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test, vi } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { times } from '../conformance/fixture.suite.ts'
import { controller } from '../controllers/controller.ts'
import { type Engine, startEngine } from '../engine.ts'
import { type WidgetSpec, type WidgetStatus, widget } from '../tests/widgets.ts'
import { kindOf } from '../words/kind.ts'
import type { StoredObject } from '../words/object.ts'
import { again } from '../words/result.ts'
import type { Store } from '../words/store.ts'
import { TestServer } from './fixture.suite.ts'

type Signed = StoredObject<WidgetSpec, WidgetStatus & { readonly by?: string; readonly times?: number }>
const widgets = kindOf<Signed>('widget')

const eventually = { timeout: 25_000, interval: 20 }

describeWith('embedded postgresql', 'three nodes of the engine on one PostgreSQL', () => {
  const server = new TestServer('embedded postgresql')

  /** Writes its name into every widget that is its own, again and again, and counts how often. */
  const signing = (node: string) =>
    controller<Signed>({
      name: 'signing',
      kind: widgets,
      async reconcile(object, { commit, world }) {
        const status = { ...object.status, by: node, times: (object.status.times ?? 0) + 1 }
        await commit(changeSet(world).update(object, { status }))
        return again(millis(100), 'signing')
      },
    })

  async function start(store: Store, name: string): Promise<Engine> {
    const options = { store, world: realWorld, leaseTtl: seconds(3), renewEvery: seconds(1) }
    const engine = startEngine({ ...options, controllers: [signing(name)] })
    onTestFinished(() => engine.stop())
    await engine.loaded
    return engine
  }

  test('share the work; one that is cut off writes nothing more, the others take over, and it comes back', async () => {
    const database = await server.newDatabase()
    const { store: first, proxy } = await server.openBehindProxy(database)
    const [second, third] = [await server.open(database), await server.open(database)]
    const a = await start(first, 'a')
    const [b, c] = [await start(second, 'b'), await start(third, 'c')]
    const shards = () => [a, b, c].map(engine => engine.shards().length)
    await vi.waitFor(() => expect(shards().toSorted()).toEqual([10, 11, 11]), eventually)
    await Promise.all(
      times(60, async () => {
        const id = newId(realWorld, 'wid')
        await b.commit(changeSet(realWorld).create(widget(id)))
      }),
    )
    const signatures = () =>
      new Set(
        b.cache
          .platform()
          .list({ kind: widgets })
          .items.map(({ status }) => status.by),
      )
    await vi.waitFor(() => expect(signatures()).toEqual(new Set(['a', 'b', 'c'])), eventually)
    proxy.hold()
    await vi.waitFor(() => expect(signatures()).toEqual(new Set(['b', 'c'])), eventually)
    expect(a.shards()).toEqual([])
    await vi.waitFor(() => expect(a.ready().ready).toBe(false), eventually)
    proxy.release()
    await vi.waitFor(() => expect(signatures()).toEqual(new Set(['a', 'b', 'c'])), eventually)
    await vi.waitFor(() => expect(a.ready().ready).toBe(true), eventually)
    await vi.waitFor(() => expect(shards().toSorted()).toEqual([10, 11, 11]), eventually)
  }, 90_000)
})
