import { describeWith, startPgBouncer } from '@stead/testing'
import { seconds } from '@stead/world'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newSet, readAll, take, times, widget } from '../conformance/fixture.suite.ts'
import { TestServer } from './fixture.suite.ts'

describeWith('pgbouncer', 'a pooler that lends out sessions by transaction', () =>
  describeWith('embedded postgresql', 'PgBouncer', () => {
    const server = new TestServer('embedded postgresql')

    const refusal = expect.stringContaining('a pooler refuses the settings')
    const ignore_startup_parameters = 'statement_timeout,idle_in_transaction_session_timeout'

    test.each([
      { name: 'that refuses a session’s settings', settings: {}, warnings: [refusal] },
      // Nothing gives it away at first: what was prepared is not there when it is asked for.
      { name: 'that ignores a session’s settings', settings: { ignore_startup_parameters }, warnings: [] },
    ])('$name takes away notifications, which is said, and nothing else', async ({ settings, warnings }) => {
      const pooler = await startPgBouncer(server.cluster, settings)
      onTestFinished(() => pooler.stop())
      const database = await server.newDatabase()
      const url = pooler.through(server.cluster.url(database))
      const stores = await Promise.all(times(3, () => server.open(database, { url })))
      const total = 300
      const watching = stores.map(store => take(store, 0, total))
      await Promise.all(
        times(total, n =>
          stores[n % 3]!.commit(
            newSet()
              .create(widget(`w-${n}`))
              .take(`k-${n}`, 'w')
              .move('count', 1),
          ),
        ),
      )
      for (const entries of await Promise.all(watching))
        expect(entries.map(({ revision }) => revision)).toEqual(times(total, n => n + 1))
      expect(await stores[1]!.counters('count')).toMatchObject([{ value: total }])
      expect((await readAll(stores[2]!)).objects).toHaveLength(total)
      const held = await Promise.all(
        stores.map((store, n) => store.leases.acquire({ names: ['lease'], holder: `node-${n}`, ttl: seconds(60) })),
      )
      expect(held.flat()).toHaveLength(1)
      for (const store of stores)
        await vi.waitFor(() => expect(store.describe().notifications).toBe('swallowed'), { timeout: 10_000 })
      expect(stores[0]!.describe().warnings).toEqual([
        expect.stringContaining('fsync'),
        expect.stringContaining('LISTEN does not work'),
        ...warnings,
      ])
    })
  }),
)
