import fc from 'fast-check'
import { expect, test } from 'vitest'
import { millis, seconds } from './duration.ts'
import { newId } from './ids.ts'
import { VirtualWorld } from './virtual.ts'
import type { World } from './world.ts'

/** Three workers that sleep and draw: the order in which they speak depends on everything the world decides. */
async function transcript(seed: number): Promise<string[]> {
  const world = new VirtualWorld({ seed })
  const lines: string[] = []
  const worker = async (name: string, own: World) => {
    for (let round = 0; round < 5; round++) {
      await own.sleep(millis(Math.floor(own.random() * 3)))
      lines.push(`${world.time} ${name} ${newId(own, 'x')}`)
    }
  }
  for (const name of ['a', 'b', 'c']) void worker(name, world.node({ name }))
  await world.runUntilIdle()
  return lines
}

test('a seed is one schedule, and another seed another', async () => {
  expect(await transcript(1)).toEqual(await transcript(1))
  expect(await transcript(1)).not.toEqual(await transcript(2))
  expect(await transcript(1)).toHaveLength(15)
})

test('timers fire at their time, in order, with everything that follows from one settled before the next', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 20 }), fc.integer(), async (delays, seed) => {
      const world = new VirtualWorld({ seed })
      const start = world.time
      const fired: number[] = []
      let unsettled = 0
      for (const delay of delays)
        world.setTimer(millis(delay), async () => {
          expect(unsettled).toBe(0)
          fired.push(world.time - start)
          unsettled++
          for (let i = 0; i < 10; i++) await undefined
          unsettled--
        })
      await world.runUntilIdle()
      expect(fired).toEqual(delays.toSorted((a, b) => a - b))
    }),
    { numRuns: 50 },
  ))

test('timers due at one moment fire in an order the seed decides', async () => {
  const orders = new Set<string>()
  for (let seed = 0; seed < 40; seed++) {
    const world = new VirtualWorld({ seed })
    let order = ''
    for (const name of ['a', 'b', 'c']) world.setTimer(millis(5), () => (order += name))
    await world.runUntilIdle()
    orders.add(order)
  }
  expect(orders.size).toBe(6)
})

test('a cancelled timer and an aborted sleep do not fire', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const abort = new AbortController()
  world.setTimer(millis(5), () => expect.unreachable()).cancel()
  const sleeping = world.sleep(seconds(1), abort.signal)
  world.setTimer(millis(2), () => abort.abort(new Error('enough')))
  await expect(world.run(sleeping)).rejects.toThrow('enough')
  expect(world.pending).toBe(0)
})

test('running for a while moves the clock exactly that far', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const start = world.now()
  let ticks = 0
  const tick = () => {
    ticks++
    world.setTimer(seconds(1), tick)
  }
  tick()
  await world.runFor(millis(3_500))
  expect(ticks).toBe(4)
  expect(world.now() - start).toBe(3_500)
  await expect(world.runUntilIdle(seconds(5))).rejects.toThrow('still not idle')
})

test('what came due in a time that was leapt over comes afterwards, in its order', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const start = world.time
  const fired: [string, number][] = []
  const at = (name: string) => () => void fired.push([name, world.time - start])
  world.setTimer(seconds(20), at('second'))
  world.setTimer(seconds(10), at('first'))
  world.setTimer(seconds(90), at('third'))
  world.leap(seconds(60))
  await world.runUntilIdle()
  expect(fired).toEqual([
    ['first', 60_000],
    ['second', 60_000],
    ['third', 90_000],
  ])
  expect(world.leapt).toBe(60_000)
})

test('a node sees its own wall clock, and its monotonic clock starts anywhere', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const fast = world.node({ skew: seconds(30) })
  const other = world.node()
  expect(fast.now() - world.now()).toBe(30_000)
  expect(fast.monotonic()).not.toBe(other.monotonic())
  const before = fast.monotonic()
  await world.runFor(seconds(2))
  expect(fast.monotonic() - before).toBeCloseTo(2_000)
  fast.skew = seconds(-10)
  expect(fast.now() - world.now()).toBe(-10_000)
  expect(fast.monotonic() - before).toBeCloseTo(2_000)
})

test('nothing of a killed node goes on', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const node = world.node()
  node.setTimer(millis(10), () => expect.unreachable())
  let woke = false
  void node.sleep(millis(10)).then(() => (woke = true))
  world.setTimer(millis(5), () => node.kill())
  await world.runUntilIdle()
  expect(world.pending).toBe(0)
  void node.sleep(millis(1)).then(() => (woke = true))
  await world.runUntilIdle()
  expect(woke).toBe(false)
})

test('a stalled node catches up when it is back', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const node = world.node()
  const start = world.time
  const fired: number[] = []
  for (const delay of [5, 50, 150]) node.setTimer(millis(delay), () => fired.push(world.time - start))
  await world.runFor(millis(1))
  node.stall(millis(99))
  await world.runUntilIdle()
  expect(fired).toEqual([100, 100, 150])
})

test('waiting for what cannot happen says so instead of hanging', async () => {
  const world = new VirtualWorld({ seed: 3 })
  await expect(world.run(new Promise(() => {}))).rejects.toThrow('nothing is left to do (virtual time, seed 3)')
  await expect(world.run(world.sleep(seconds(9)), seconds(5))).rejects.toThrow('did not come true within 5000 ms')
})

test('a timer never fires before its time, to the last digit', () =>
  fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(fc.double({ min: 0, max: 1e6, noNaN: true })), async (seed, delays) => {
      const world = new VirtualWorld({ seed })
      const node = world.node()
      const early: number[] = []
      for (const delay of delays) {
        const due = node.monotonic() + delay
        node.setTimer(millis(due - node.monotonic()), () => {
          if (node.monotonic() < due) early.push(delay)
        })
        await world.runFor(millis(node.random()))
      }
      await world.runUntilIdle()
      expect(early).toEqual([])
    }),
    { numRuns: 50 },
  ))
