import { millis, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { Arrivals } from './arrivals.ts'

test('each is told when it has arrived, in whatever order they do, and one that never does holds up nobody', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const arrivals = new Arrivals(world)
  const arrived = new Set<number>()
  const told: number[] = []
  for (let each = 0; each < 20; each++) void arrivals.until(() => arrived.has(each)).then(() => told.push(each))
  await world.runFor(millis(5))
  expect(told).toEqual([])
  for (const each of [3, 19, 7]) arrived.add(each)
  await world.runFor(millis(60))
  expect(told.toSorted((a, b) => a - b)).toEqual([3, 7, 19])
  for (let each = 1; each < 20; each++) arrived.add(each)
  await world.runFor(millis(300))
  expect(told).toHaveLength(19)
  arrived.add(0)
  await world.runFor(millis(5))
  expect(told.at(-1)).toBe(0)
})

test('however many are waited for, few are looked at in a millisecond; those that arrive in turn are told at once', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const arrivals = new Arrivals(world)
  let looks = 0
  let arrived = 0
  let told = 0
  for (let each = 0; each < 100; each++) {
    const isOver = () => {
      looks++
      return each < arrived
    }
    void arrivals.until(isOver).then(() => told++)
  }
  looks = 0
  await world.runFor(millis(50))
  expect(looks).toBeLessThanOrEqual(100)
  arrived = 100
  await world.runFor(millis(2))
  expect(told).toBe(100)
  looks = 0
  await world.runFor(millis(50))
  expect(looks, 'nobody is waited for any more').toBe(0)
})

test('what is so already is not waited for', async () => {
  await new Arrivals(new VirtualWorld({ seed: 1 })).until(() => true)
})
