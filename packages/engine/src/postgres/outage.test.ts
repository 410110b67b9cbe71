import { describeWith } from '@stead/testing'
import { realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newSet, readAll, times, widget } from '../conformance/fixture.suite.ts'
import { UnavailableError } from '../words/errors.ts'
import { TestServer } from './fixture.suite.ts'
import type { PostgresStore } from './store.ts'

const eventually = { timeout: 15_000, interval: 20 }

describeWith('embedded postgresql', 'a PostgreSQL that comes and goes', () => {
  const server = new TestServer('embedded postgresql', { fsync: true })

  /** Writers that never stop, each change-set counted by a counter in the same change-set. */
  function writeUntilStopped(stores: readonly PostgresStore[]) {
    const acknowledged: { id: string; revision: number }[] = []
    let stopped = false
    const writers = times(24, async writer => {
      for (let n = 0; !stopped; n++) {
        const id = `w-${writer}-${n}`
        const set = newSet().create(widget(id)).take(`name/${id}`, id).move('written', 1)
        const { revision } = await stores[writer % stores.length]!.commit(set, { timeout: seconds(30) })
        acknowledged.push({ id, revision })
      }
    })
    return {
      acknowledged,
      stop: async () => {
        stopped = true
        await Promise.all(writers)
      },
    }
  }

  test('restarts and crashes under load lose nothing acknowledged and do nothing twice', async () => {
    const database = await server.newDatabase()
    const stores = await Promise.all(times(2, () => server.open(database)))
    const seen: number[] = []
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const watching = (async () => {
      for await (const batch of stores[1]!.watch(0, stop.signal)) seen.push(...batch.map(({ revision }) => revision))
    })()
    const load = writeUntilStopped(stores)
    for (const how of ['immediate', 'fast', 'immediate'] as const) {
      const before = load.acknowledged.length
      await vi.waitFor(() => expect(load.acknowledged.length).toBeGreaterThan(before + 100), eventually)
      await server.cluster.shutdown(how)
      await server.cluster.start()
    }
    await load.stop()
    const { revision, objects } = await readAll(stores[0]!)
    const [written] = await stores[0]!.counters('written')
    expect(objects).toHaveLength(load.acknowledged.length)
    expect(written?.value).toBe(load.acknowledged.length)
    expect(revision).toBe(load.acknowledged.length)
    const byId = new Map(objects.map(object => [object.id, object.revision]))
    for (const { id, revision } of load.acknowledged) expect(byId.get(id)).toBe(revision)
    await vi.waitFor(() => expect(seen).toHaveLength(revision), eventually)
    expect(seen).toEqual(times(revision, n => n + 1))
    stop.abort()
    await watching
  }, 60_000)

  test('what is asked while it is away waits; past its deadline it fails and is not half done', async () => {
    const database = await server.newDatabase()
    const store = await server.open(database)
    await store.commit(newSet().take('key', 'a'))
    await server.cluster.shutdown('fast')
    const patient = store.commit(newSet().create(widget('patient')), { timeout: seconds(20) })
    const reading = store.keyHolder('key')
    const hasty = store.commit(newSet().create(widget('hasty')), { timeout: seconds(0.3) })
    await expect(hasty).rejects.toBeInstanceOf(UnavailableError)
    await server.cluster.start()
    expect(await patient).toMatchObject({ revision: 1 })
    expect(await reading).toBe('a')
    expect((await readAll(store)).objects.map(({ id }) => id)).toEqual(['patient'])
  })

  test('a cable that is pulled is noticed, and what was on its way is done once', async () => {
    const database = await server.newDatabase()
    const { store, proxy } = await server.openBehindProxy(database)
    await store.commit(newSet().create(widget('before')))
    proxy.hold()
    const started = realWorld.monotonic()
    const hasty = store.commit(newSet().create(widget('hasty')), { timeout: seconds(0.5) })
    await expect(hasty).rejects.toThrow('did not answer')
    expect(realWorld.monotonic() - started).toBeLessThan(5_000)
    const set = newSet().create(widget('patient')).move('written', 1)
    const patient = store.commit(set, { timeout: seconds(20) })
    await realWorld.sleep(seconds(3))
    proxy.release()
    const { revision } = await patient
    expect(await store.outcome(set.id)).toMatchObject({ revision })
    expect(await store.counters('written')).toMatchObject([{ value: 1 }])
  })

  test('one that has become read-only is told as such, and served again when it is not', async () => {
    const database = await server.newDatabase()
    const store = await server.open(database)
    await store.commit(newSet().create(widget('a')))
    const restrict = (value: string) =>
      server.run(
        'postgres',
        `ALTER DATABASE ${database} SET default_transaction_read_only = ${value};
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
      )
    await restrict('on')
    const refused = store.commit(newSet().create(widget('b')), { timeout: seconds(5) })
    await expect(refused).rejects.toThrow('read-only')
    const patient = store.commit(newSet().create(widget('c')), { timeout: seconds(20) })
    await restrict('off')
    expect(await patient).toMatchObject({ revision: 2 })
    const again = await server.open(database)
    expect((await readAll(again)).objects.map(({ id }) => id).sort()).toEqual(['a', 'c'])
  })
})
