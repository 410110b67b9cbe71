import { instant, millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { newSet, times, widget } from '../conformance/fixture.suite.ts'
import { encodeChangeSet } from '../encoding.ts'
import { UnavailableError } from '../words/errors.ts'
import type { LogEntry } from '../words/log.ts'
import type { Batch, BatchAnswer } from './batch.ts'
import { GroupCommit } from './group-commit.ts'

/** A group commit whose disk answers when the test says so. */
function newGroupCommit() {
  const world = new VirtualWorld({ seed: 1 })
  const sent: Batch[] = []
  const told: string[] = []
  let revision = 0
  const commits = new GroupCommit({
    world,
    path: 'stead.db',
    post: batch => sent.push(batch),
    onEntries: (entries: readonly LogEntry[]) => told.push(...entries.map(entry => `entry ${entry.revision}`)),
    onFatal: error => told.push(`fatal ${error.message}`),
  })
  const commit = (id: string, timeout = seconds(10)) => {
    const committed = commits.commit(encodeChangeSet(newSet().create(widget(id))), timeout)
    return committed.then(
      answer => told.push(`told ${answer.revision}`),
      (error: Error) => told.push(`${error.name}: ${error.message}`),
    )
  }
  const answer = (batch = sent.shift()!): BatchAnswer => ({
    sets: batch.sets.map(() => ({
      revision: ++revision,
      at: instant(1),
      replayed: false,
      generations: [1],
      removed: [],
    })),
    calls: batch.calls.map(() => ({ value: undefined })),
  })
  const sizes = () => sent.map(({ sets }) => sets.length)
  /** Lets everything that is due now happen. */
  const settle = () => world.run(world.sleep(millis(1)))
  return { world, commits, commit, answer, sizes, told, sent, settle }
}

test('what arrives while two batches are in flight waits and goes as one', async () => {
  const { commits, commit, answer, sizes, settle } = newGroupCommit()
  for (const id of ['a', 'b', 'c']) {
    void commit(id)
    await settle()
  }
  times(20, n => commit(`late-${n}`))
  await settle()
  expect(sizes()).toEqual([1, 1])
  commits.answered(answer())
  await settle()
  expect(sizes()).toEqual([1, 21])
})

test('what arrives at once is one batch, or two when there is enough to overlap', async () => {
  const few = newGroupCommit()
  times(20, n => few.commit(`${n}`))
  await few.settle()
  expect(few.sizes()).toEqual([20])
  const many = newGroupCommit()
  times(200, n => many.commit(`${n}`))
  await many.settle()
  expect(many.sizes()).toEqual([100, 100])
})

test('everyone who watches knows before anyone who wrote is told', async () => {
  const { commits, commit, answer, told, settle } = newGroupCommit()
  void commit('a')
  void commit('b')
  await settle()
  commits.answered(answer())
  await settle()
  expect(told).toEqual(['entry 1', 'entry 2', 'told 1', 'told 2'])
})

test('a deadline that passes before it is sent means it never will be; one that passes after says to ask', async () => {
  const { world, commits, commit, answer, sizes, told, settle } = newGroupCommit()
  void commit('a', seconds(1))
  await settle()
  void commit('b', seconds(5))
  await settle()
  void commit('c', seconds(2))
  await settle()
  await world.run(world.sleep(seconds(3)))
  expect(told).toEqual([
    'UnavailableError: the disk has not answered in time: ask for the outcome',
    'UnavailableError: the disk is too slow: it was not written, and will not be',
  ])
  commits.answered(answer())
  commits.answered(answer())
  await settle()
  // The late one was written and is in the log; only its writer has gone.
  expect(told.slice(2)).toEqual(['entry 1', 'entry 2', 'told 2'])
  expect(sizes()).toEqual([])
})

test('a disk that stands still does not fill the memory', async () => {
  const { commits, commit, told, settle } = newGroupCommit()
  const large = encodeChangeSet(newSet().create(widget('large', 'x'.repeat(1_000_000))))
  for (const id of ['a', 'b']) {
    void commit(id)
    await settle()
  }
  const results = times(100, () => commits.commit(large, seconds(10)).catch((error: unknown) => error))
  const refused = await Promise.race(results)
  expect(refused).toBeInstanceOf(UnavailableError)
  expect((refused as Error).message).toContain('try again later')
  expect(told).toEqual([])
})

test('a batch that failed fails for all in it, and only for them', async () => {
  const { commits, commit, answer, sent, told, settle } = newGroupCommit()
  void commit('a')
  await settle()
  void commit('b')
  await settle()
  sent.shift()
  const sqlite = { failure: 'disk_full', message: 'full', uncertain: false } as const
  commits.answered({ sets: { failed: 'full', sqlite }, calls: [] })
  commits.answered(answer())
  await settle()
  expect(told).toEqual([
    'entry 1',
    'UnavailableError: the disk that holds stead.db is full: nothing was written',
    'told 1',
  ])
})

test('draining takes nothing more and waits for what it took', async () => {
  const { commits, commit, answer, told, settle } = newGroupCommit()
  void commit('a')
  void commits.drain(new UnavailableError('closed')).then(() => told.push('drained'))
  void commit('late')
  await settle()
  expect(told).toEqual(['UnavailableError: closed'])
  commits.answered(answer())
  await settle()
  expect(told.slice(1)).toEqual(['entry 1', 'told 1', 'drained'])
})
