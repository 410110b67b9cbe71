import { millis, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { keepBusy, keepPace } from './load.ts'

/** On a clock that moves only when nothing else can: a busy machine changes nothing. */
function onVirtualTime<T>(act: (world: VirtualWorld) => Promise<T>): Promise<T> {
  const world = new VirtualWorld({ seed: 1 })
  return world.run(() => act(world))
}

test('each worker waits for its last piece of work before its next', async () => {
  const underWay = new Set<number>()
  const turns = new Map<number, number[]>()
  const { rate } = await onVirtualTime(world =>
    keepBusy(world, { workers: 3, duration: millis(20) }, async (worker, turn) => {
      expect(underWay.has(worker)).toBe(false)
      underWay.add(worker)
      turns.set(worker, [...(turns.get(worker) ?? []), turn])
      await world.sleep(millis(1))
      underWay.delete(worker)
    }),
  )
  expect(rate).toBe(3_000)
  const twenty = Array.from({ length: 20 }, (_, index) => index)
  expect(Object.fromEntries(turns)).toEqual({ 0: twenty, 1: twenty, 2: twenty })
})

test('work that stalls counts against all that was due meanwhile, and what warms up counts for nothing', async () => {
  const latencies = await onVirtualTime(world => {
    const stall = world.sleep(millis(100))
    return keepPace(world, { perSecond: 1_000, count: 20, warmUp: 5 }, () => stall)
  })
  expect(latencies.count).toBe(15)
  // The last was due 19 ms after the first, and all were done when the stall ended.
  expect(latencies.percentile(1)).toBeGreaterThan(75)
})
