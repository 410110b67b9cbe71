import type { Worker } from 'node:worker_threads'
import { temporaryDirectory } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { never, newSet, times, widget } from '../conformance/fixture.suite.ts'
import { UnavailableError } from '../words/errors.ts'
import { openSqliteStore } from './open-store.ts'
import type { SqliteStore } from './store.ts'

/** The threads are nobody's business but the store's; only death comes from outside. */
function threadOf(store: SqliteStore, which: 'writer' | 'reader'): Worker {
  const { parts } = store as unknown as { parts: { threads: Record<string, { worker: Worker }> } }
  return parts.threads[which]!.worker
}

for (const which of ['writer', 'reader'] as const)
  test(`when the ${which} dies, everyone who waits is told and the store says that it is over`, async () => {
    const directory = temporaryDirectory()
    const store = await openSqliteStore({ directory, world: realWorld })
    onTestFinished(() => store.close())
    await store.commit(newSet().create(widget('before')))
    const watching = store.watch(1, never)[Symbol.asyncIterator]().next()
    const waiting = [
      ...times(50, n => store.commit(newSet().create(widget(`w-${n}`)))),
      ...times(50, () => store.keyHolder('key')),
      watching,
    ].map(each =>
      each.then(
        () => 'answered',
        (error: unknown) => error,
      ),
    )
    void threadOf(store, which).terminate()
    const reason = await store.failed
    expect(reason).toBeInstanceOf(UnavailableError)
    expect(reason.message).toContain('a thread of the store died')
    for (const each of await Promise.all(waiting)) if (each !== 'answered') expect(each).toBe(reason)
    await expect(store.commit(newSet().create(widget('late')))).rejects.toBe(reason)
    await expect(store.keyHolder('key')).rejects.toBe(reason)
    await store.close()
    const again = await openSqliteStore({ directory, world: realWorld })
    expect(again.head()).toBeGreaterThanOrEqual(1)
    await again.close()
  })
