import { millis, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { keepBusy, keepPace } from './load.ts'

test('each worker waits for its last piece of work before its next', async () => {
  const underWay = new Set<number>()
  const turns = new Map<number, number[]>()
  const { rate } = await keepBusy(realWorld, { workers: 3, duration: millis(20) }, async (worker, turn) => {
    expect(underWay.has(worker)).toBe(false)
    underWay.add(worker)
    turns.set(worker, [...(turns.get(worker) ?? []), turn])
    await realWorld.sleep(millis(1))
    underWay.delete(worker)
  })
  expect(rate).toBeGreaterThan(0)
  expect([...turns.keys()].sort()).toEqual([0, 1, 2])
  for (const done of turns.values()) expect(done).toEqual(done.map((_, index) => index))
})

test('work that stalls counts against all that was due meanwhile, and what warms up counts for nothing', async () => {
  const stall = realWorld.sleep(millis(100))
  const latencies = await keepPace(realWorld, { perSecond: 1_000, count: 20, warmUp: 5 }, () => stall)
  expect(latencies.count).toBe(15)
  // The last was due 19 ms after the first, and all were done when the stall ended.
  expect(latencies.percentile(1)).toBeGreaterThan(50)
})
