import { millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import type { EncodedChangeSet } from '../encoding.ts'
import { UnavailableError } from '../words/errors.ts'
import { CommitQueue } from './queue.ts'

const empty = { expect: [], puts: [], removes: [], takes: [], releases: [], moves: [], limits: [] } as const
const set = (id: string, weight = 0): EncodedChangeSet => ({
  ...{ ...empty, id, blobs: [], dropBlobs: [] },
  records: [{ table: 't', subject: 's', scope: 'p', body: 'x'.repeat(weight) }],
})

function newQueue() {
  const world = new VirtualWorld({ seed: 1 })
  const queue = new CommitQueue(world)
  const failures: string[] = []
  const add = (id: string, { weight = 0, timeout = seconds(2) } = {}) =>
    queue.add(set(id, weight), { timeout, resent: false }).catch(error => {
      expect(error).toBeInstanceOf(UnavailableError)
      failures.push(`${id}: ${error.message}`)
    })
  const take = () => queue.takeBatch().map(each => each.set.id)
  return { world, queue, add, take, failures }
}

test('gives what came first, 256 at a time, and no more than 4 MiB unless one alone is larger', () => {
  const { add, take } = newQueue()
  for (let n = 0; n < 300; n++) void add(`${n}`)
  expect(take()).toHaveLength(256)
  for (const id of ['a', 'b']) void add(id, { weight: 3 * 1_048_576 })
  void add('large', { weight: 10 * 1_048_576 })
  expect(take().at(-1)).toBe('a')
  expect(take()).toEqual(['b'])
  expect(take()).toEqual(['large'])
  expect(take()).toEqual([])
})

test('ends a batch before what is in it already, so that nothing overtakes it', () => {
  const { add, take } = newQueue()
  for (const id of ['a', 'b', 'a', 'c']) void add(id)
  expect(take()).toEqual(['a', 'b'])
  expect(take()).toEqual(['a', 'c'])
})

test('tells whoever waited too long, sent or not, and forgets only what was not sent', async () => {
  const { world, queue, add, take, failures } = newQueue()
  void add('sent', { timeout: millis(100) })
  const batch = queue.takeBatch()
  void add('hasty', { timeout: millis(50) })
  void add('patient', { timeout: seconds(5) })
  await world.run(world.sleep(millis(60)))
  expect(failures).toEqual(['hasty: the database was too busy to take it'])
  await world.run(world.sleep(millis(60)))
  expect(failures.at(-1)).toBe('sent: the database did not answer in time')
  expect(queue.has('sent')).toBe(true)
  queue.settled(batch)
  expect([queue.has('sent'), queue.has('hasty'), queue.has('patient')]).toEqual([false, false, true])
  expect(take()).toEqual(['patient'])
})

test('takes no more than it can hold, and again when there is room', async () => {
  const { world, queue, add, failures } = newQueue()
  for (let n = 0; n < 4; n++) void add(`${n}`, { weight: 16 * 1_048_576 })
  await world.run(add('one too many', { weight: 1 }))
  expect(failures).toEqual(['one too many: the database is too slow for what is asked of it'])
  queue.takeBatch()
  void add('next', { weight: 1 })
  expect(queue.length).toBe(4)
})
