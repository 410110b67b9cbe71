import { millis, seconds, VirtualWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QueueModel } from '../tests/queue-model.ts'
import { LoopBudget } from './loop-budget.ts'
import { type Ending, type Entry, type Lane, WorkQueue } from './queue.ts'

test('keeps its promises under any load', () =>
  fc.assert(
    fc.asyncProperty(fc.integer(), async seed => {
      const model = new QueueModel(seed)
      await model.run(60)
      expect([...model.broken]).toEqual([])
      expect(model.runs).toBeGreaterThan(10)
    }),
    { numRuns: 150 },
  ))

class ForgetsWakes extends WorkQueue {
  protected override wakeRunning(): void {}
}

class RunsTwice extends WorkQueue {
  protected override find(key: string): Entry | undefined {
    const entry = super.find(key)
    return entry?.isRunning ? undefined : entry
  }
}

test.each([
  ['that forgets a wake', ForgetsWakes, 'was lost'],
  ['that runs a key twice', RunsTwice, 'ran twice at once'],
])('a queue %s is found out', async (_what, Queue, complaint) => {
  const broken: string[] = []
  for (let seed = 0; seed < 20; seed++) {
    const model = new QueueModel(seed, Queue)
    await model.run(60)
    broken.push(...model.broken)
  }
  expect(broken.filter(text => text.includes(complaint))).not.toEqual([])
})

/** A queue whose work takes 10 ms and ends as told. */
function newQueue(concurrency = 1, endings: Record<string, Ending[]> = {}) {
  const world = new VirtualWorld({ seed: 1 })
  const start = world.time
  const runs: { key: string; lane: Lane; at: number }[] = []
  const queue = new WorkQueue({
    world,
    budget: new LoopBudget(world),
    concurrency,
    async work(key, lane) {
      runs.push({ key, lane, at: world.time - start })
      await world.sleep(millis(10))
      return endings[key]?.shift() ?? { type: 'settled' }
    },
  })
  return { world, queue, runs, order: () => runs.map(({ key }) => key).join(' ') }
}

test('many wakes of a waiting key are one run', async () => {
  const { world, queue, order } = newQueue()
  for (let i = 0; i < 5; i++) for (const key of ['a', 'b']) queue.wake(key, 'live')
  await world.runUntilIdle()
  expect(order()).toBe('a b')
})

test('woken while it runs, it runs once more after, however often it was woken', async () => {
  const { world, queue, runs } = newQueue(4)
  queue.wake('a', 'live')
  await world.runFor(millis(5))
  for (let i = 0; i < 5; i++) queue.wake('a', 'live')
  await world.runUntilIdle()
  expect(runs.map(({ at }) => at)).toEqual([0, 10])
})

test('live work goes before resync work, and a live wake lifts a key out of the resync lane', async () => {
  const { world, queue, runs } = newQueue()
  for (const key of ['r1', 'r2', 'r3']) queue.wake(key, 'resync')
  queue.wake('live', 'live')
  queue.wake('r3', 'live')
  await world.runUntilIdle()
  expect(runs.map(({ key, lane }) => `${key} ${lane}`)).toEqual(['live live', 'r3 live', 'r1 resync', 'r2 resync'])
})

test('resync work is not starved by live work that never ends', async () => {
  const { world, queue, order } = newQueue()
  queue.wake('resync', 'resync')
  for (let i = 0; i < 40; i++) queue.wake(`l${i}`, 'live')
  await world.runUntilIdle()
  expect(order().split(' ').indexOf('resync')).toBe(16)
})

test('an answer of "again" waits that long, unless something happens first', async () => {
  const again: Ending = { type: 'again', after: seconds(5) }
  const { world, queue, runs } = newQueue(1, { a: [again, again], b: [again] })
  queue.wake('a', 'live')
  queue.wake('b', 'live')
  await world.runFor(seconds(1))
  queue.wake('a', 'live')
  queue.wake('b', 'resync')
  await world.runUntilIdle()
  expect(runs.map(({ key, at }) => `${key} ${at}`)).toEqual(['a 0', 'b 10', 'a 1000', 'b 5020', 'a 6010'])
})

test('failures wait longer each time, and one success ends that', async () => {
  const failed: Ending = { type: 'failed' }
  const settled: Ending = { type: 'settled' }
  const { world, queue, runs } = newQueue(1, { a: [failed, failed, failed, failed, failed, settled, failed] })
  queue.wake('a', 'live')
  await world.runUntilIdle()
  queue.wake('a', 'live')
  await world.runUntilIdle()
  const waits = runs.slice(1).map(({ at }, i) => at - runs[i]!.at - 10)
  for (const [i, cap] of [5, 10, 20, 40, 80].entries()) {
    expect(waits[i]).toBeGreaterThanOrEqual(cap / 2)
    expect(waits[i]).toBeLessThanOrEqual(cap)
  }
  expect(waits.at(-1)).toBeLessThanOrEqual(5)
})

test('a change it made itself wakes it only where the ending does not say that it was heard', async () => {
  const { world, queue, order } = newQueue(1, {
    a: [{ type: 'settled', heard: new Set([7]) }],
    b: [{ type: 'settled' }],
  })
  for (const key of ['a', 'b']) {
    queue.wake(key, 'live')
    await world.runFor(millis(5))
    queue.wake(key, 'live', 7)
    await world.runUntilIdle()
  }
  expect(order()).toBe('a b b')
})

test('dropped keys do not start; one that runs ends, and comes back if it is woken again', async () => {
  const again: Ending = { type: 'again', after: seconds(1) }
  const { world, queue, order } = newQueue(1, { gone: [again], back: [again] })
  for (const key of ['gone', 'waits', 'stays']) queue.wake(key, 'live')
  await world.runFor(millis(5))
  queue.drop(key => key !== 'stays')
  await world.runUntilIdle()
  expect(order()).toBe('gone stays')
  queue.wake('back', 'live')
  await world.runFor(millis(5))
  queue.drop(() => true)
  queue.wake('back', 'resync')
  await world.runUntilIdle()
  expect(order()).toBe('gone stays back back')
})

test('closed, it ends what runs and starts nothing', async () => {
  const { world, queue, order } = newQueue(2, { a: [{ type: 'failed' }] })
  for (const key of ['a', 'b', 'c']) queue.wake(key, 'live')
  await world.runFor(millis(5))
  queue.close()
  queue.wake('d', 'live')
  let ended = false
  const waiting = queue.ended().then(() => {
    ended = true
  })
  await world.drain()
  expect(ended).toBe(false)
  await world.run(waiting)
  await world.runUntilIdle()
  expect(order()).toBe('a b')
  expect(queue.has('a')).toBe(false)
})

test('work that never waits lets others have a turn', async () => {
  const world = new VirtualWorld({ seed: 1 })
  let clock = 0
  const slowly = { ...plain(world), monotonic: () => millis(clock) }
  let runs = 0
  const queue = new WorkQueue({
    world: slowly,
    budget: new LoopBudget(slowly),
    concurrency: 10,
    async work() {
      clock += 1
      runs++
      return { type: 'settled' }
    },
  })
  for (let i = 0; i < 100; i++) queue.wake(`k${i}`, 'live')
  await world.drain()
  expect(runs).toBe(5)
  await world.runUntilIdle()
  expect(runs).toBe(100)
})

const plain = (world: VirtualWorld) => ({
  now: () => world.now(),
  monotonic: () => world.monotonic(),
  setTimer: world.setTimer.bind(world),
  sleep: world.sleep.bind(world),
  random: () => world.random(),
  randomBytes: (length: number) => world.randomBytes(length),
})

test('says how many wait, how many run and how long the first has waited', async () => {
  const { world, queue } = newQueue(1, { a: [{ type: 'again', after: seconds(1) }] })
  for (const key of ['a', 'b', 'c']) queue.wake(key, 'live')
  queue.wake('d', 'resync')
  await world.runFor(millis(5))
  expect([queue.runningCount, queue.depth('live'), queue.depth('resync')]).toEqual([1, 2, 1])
  expect(queue.oldestAge()).toBeCloseTo(5)
  await world.runFor(millis(100))
  expect([queue.runningCount, queue.depth('live'), queue.depth('resync'), queue.delayedCount]).toEqual([0, 0, 0, 1])
  expect(queue.oldestAge()).toBe(0)
})
