import { describeWith } from '@stead/testing'
import { seconds } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { newSet, take, times, widget } from '../conformance/fixture.suite.ts'
import { TestServer } from './fixture.suite.ts'

describeWith('embedded postgresql', 'a client that stalls', () => {
  const server = new TestServer('embedded postgresql')

  /** What a process does that is stopped when its batch has left, all but the last message of the exchange. */
  test('before it ends the exchange does not sit on the log: the batch is committed and others go on', async () => {
    const database = await server.newDatabase()
    const { store: stalled, proxy } = await server.openBehindProxy(database)
    const others = await Promise.all(times(2, () => server.open(database)))
    await stalled.commit(newSet().create(widget('first')))
    proxy.keepsSessions = true
    proxy.fromClient = ({ type }) => (type === 'S' ? 'drop' : 'pass')
    const set = newSet().create(widget('stalled'))
    const commit = stalled.commit(set, { timeout: seconds(20) })
    const [entry] = await take(others[0]!, 1, 1)
    expect(entry!.changes[0]!.object.id).toBe('stalled')
    for (const [index, store] of others.entries()) await store.commit(newSet().create(widget(`other-${index}`)))
    proxy.fromClient = () => 'pass'
    expect(await commit).toMatchObject({ revision: 2 })
  })

  test('in the middle of sending its batch holds nothing at all', async () => {
    const database = await server.newDatabase()
    const { store: stalled, proxy } = await server.openBehindProxy(database)
    const other = await server.open(database)
    await stalled.commit(newSet().create(widget('first')))
    // Parsed, but never bound or executed.
    proxy.keepsSessions = true
    proxy.fromClient = ({ type }) => ('BDES'.includes(type) ? 'drop' : 'pass')
    const commit = stalled.commit(newSet().create(widget('stalled')), { timeout: seconds(20) })
    for (const n of times(5, n => n)) await other.commit(newSet().create(widget(`other-${n}`)))
    proxy.fromClient = () => 'pass'
    expect(await commit).toMatchObject({ revision: 7 })
  })

  test('with a snapshot half read delays nobody', async () => {
    const database = await server.newDatabase()
    const [store, other] = [await server.open(database), await server.open(database)]
    const set = newSet()
    for (const n of times(200, n => n)) set.create(widget(`w-${n}`))
    await store.commit(set)
    const reading = (await store.snapshot()).objects[Symbol.asyncIterator]()
    await reading.next()
    await other.commit(newSet().create(widget('later')))
    await other.compact(1)
    let left = 0
    for (let chunk = await reading.next(); !chunk.done; chunk = await reading.next()) left += chunk.value.length
    expect(left).toBeLessThan(200)
    await vi.waitFor(() => expect(store.head()).toBe(2), { timeout: 20_000 })
  })
})
