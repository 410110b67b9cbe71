import { millis, seconds, VirtualWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Throttle } from './throttle.ts'

test('no second has more turns than the rate and the burst allow, and nobody waits without need', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat(500), { minLength: 1, maxLength: 30 }),
      async (perSecond, burst, pauses) => {
        const world = new VirtualWorld({ seed: 1 })
        const throttle = new Throttle(world, { perSecond, burst })
        const start = world.time
        const turns: number[] = []
        const asker = async (at: number) => {
          await world.sleep(millis(at))
          await throttle.take()
          turns.push(world.time)
        }
        await world.run(Promise.all(pauses.map(asker)))
        for (let i = burst; i < turns.length; i++)
          expect(turns[i]! - turns[i - burst]!).toBeGreaterThan(1_000 / perSecond - 0.01)
        // Each wait is rounded up to a whole millisecond.
        const longest = Math.max(...pauses) + pauses.length * (1_000 / perSecond + 1)
        expect(turns.at(-1)! - start).toBeLessThanOrEqual(longest)
      },
    ),
    { numRuns: 50 },
  ))

test('turns are given in the order they were asked for, and giving up costs the others nothing', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const throttle = new Throttle(world, { perSecond: 1, burst: 1 })
  const start = world.time
  const order: string[] = []
  const abort = new AbortController()
  const ask = (name: string, signal?: AbortSignal) =>
    throttle.take(signal).then(
      () => order.push(`${name} ${world.time - start}`),
      () => order.push(`${name} gave up`),
    )
  const all = Promise.all([ask('a'), ask('b'), ask('c', abort.signal), ask('d')])
  world.setTimer(millis(500), () => abort.abort())
  await world.run(all)
  expect(order).toEqual(['a 0', 'c gave up', 'b 1000', 'd 2000'])
  expect(throttle.tryTake()).toBe(1_000)
  await world.runFor(seconds(1))
  expect(throttle.tryTake()).toBe(0)
})
