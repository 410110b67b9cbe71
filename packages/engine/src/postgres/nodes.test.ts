import { describeWith } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { newSet, take, times, widget } from '../conformance/fixture.suite.ts'
import type { Logger } from '../words/logger.ts'
import { silentLogger } from '../words/logger.ts'
import { TestServer } from './fixture.suite.ts'

const soon = { timeout: 5_000, interval: 5 }

describeWith('embedded postgresql', 'nodes on one PostgreSQL', () => {
  const server = new TestServer('embedded postgresql')

  test('tell each other that there is something new, but not once for each commit', async () => {
    const database = await server.newDatabase()
    const { store: reader, proxy } = await server.openBehindProxy(database)
    await vi.waitFor(() => expect(reader.describe().notifications).toBe('working'), soon)
    let hints = 0
    proxy.fromServer = ({ type, bytes }) => {
      if (type === 'A' && bytes.subarray(-2).equals(Buffer.from('\0\0'))) hints++
      return 'pass'
    }
    const writer = await server.open(database)
    const started = realWorld.monotonic()
    for (const n of times(200, n => n)) await writer.commit(newSet().create(widget(`w-${n}`)))
    await take(reader, 199, 1)
    const elapsed = realWorld.monotonic() - started
    expect(hints).toBeGreaterThan(0)
    expect(hints).toBeLessThanOrEqual(Math.min(199, elapsed / 10 + 1))
    expect(reader.describe().warnings).toEqual([expect.stringContaining('fsync is off')])
  })

  test('find out that a pooler swallows notifications, say so, and see everything all the same', async () => {
    const database = await server.newDatabase()
    const warnings: string[] = []
    const log: Logger = { ...silentLogger, warn: (_fields, message) => warnings.push(message) }
    const { store: reader, proxy } = await server.openBehindProxy(database, { log })
    proxy.fromServer = ({ type }) => (type === 'A' ? 'drop' : 'pass')
    // The session that listens is made anew, through a proxy that swallows.
    proxy.cut()
    await vi.waitFor(() => expect(reader.describe().notifications).toBe('swallowed'), { timeout: 10_000 })
    expect(warnings).toContainEqual(expect.stringContaining('LISTEN does not work here'))
    expect(reader.describe().warnings).toContainEqual(expect.stringContaining('LISTEN does not work'))
    const writer = await server.open(database)
    const commits = times(100, n => writer.commit(newSet().create(widget(`w-${n}`))))
    const entries = await take(reader, 0, 100)
    await Promise.all(commits)
    expect(entries.map(({ revision }) => revision)).toEqual(times(100, n => n + 1))
  })

  test('on many connections, with commits that take their time, give each revision once and in order', async () => {
    const database = await server.newDatabase()
    const stores = await Promise.all(times(6, () => server.open(database)))
    // Some commits take ten times as long as others: whoever numbered them before would be overtaken.
    await server.run(
      database,
      `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF random() < 0.2 THEN PERFORM pg_sleep(0.01); END IF; RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON stead.log DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION dawdle()`,
    )
    const total = 240
    const watching = stores.map(store => take(store, 0, total))
    const acknowledged = new Map<number, string>()
    await Promise.all(
      times(24, async writer => {
        for (const n of times(total / 24, n => n)) {
          const id = `w-${writer}-${n}`
          const { revision } = await stores[writer % 6]!.commit(newSet().create(widget(id)))
          acknowledged.set(revision, id)
        }
      }),
    )
    for (const entries of await Promise.all(watching))
      expect(entries.map(({ revision, changes }) => [revision, changes[0]!.object.id])).toEqual(
        times(total, n => [n + 1, acknowledged.get(n + 1)]),
      )
  })

  test('one change-set that makes the database fail does not take its neighbours along', async () => {
    const database = await server.newDatabase()
    const store = await server.open(database)
    await server.run(
      database,
      `CREATE FUNCTION choke() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.id = 'poison' THEN RAISE EXCEPTION 'choked'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER choke BEFORE INSERT ON stead.objects FOR EACH ROW EXECUTE FUNCTION choke()`,
    )
    const ids = ['a', 'b', 'poison', 'c', 'd']
    const results = await Promise.allSettled(ids.map(id => store.commit(newSet().create(widget(id)))))
    expect(results.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    ])
    expect(results[2]).toMatchObject({ reason: { message: 'choked' } })
    expect((await take(store, 0, 4)).map(({ changes }) => changes[0]!.object.id)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('serve many readers with few sessions', async () => {
    const store = await server.open(await server.newDatabase(), { poolSize: 2 })
    await store.commit(newSet().take('key', 'a'))
    const holders = await Promise.all(times(200, () => store.keyHolder('key')))
    expect(new Set(holders)).toEqual(new Set(['a']))
    expect(store.describe().sessions).toBeLessThanOrEqual(2)
  })
})
