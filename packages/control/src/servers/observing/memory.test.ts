import { minutes, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { RegionMemory } from './memory.ts'

test('a list that showed something new is soon followed by another, until one shows nothing new', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const memory = new RegionMemory(world, {})
  const untilList = () => {
    const moves = memory.isStirring(false, seconds(2))
    return memory.untilList({ streams: false, moves, doubts: false })
  }
  const list = (showsNews: boolean) => {
    memory.listed()
    memory.learned(showsNews)
  }
  list(false)
  expect(untilList()).toBeGreaterThan(seconds(20))
  list(true)
  expect(untilList()).toBeLessThanOrEqual(seconds(2))
  // However long the next one fails.
  await world.runFor(minutes(5))
  expect(untilList()).toBe(0)
  expect(memory.isStirring(false, seconds(2))).toBe(true)
  list(false)
  expect(untilList()).toBeLessThanOrEqual(seconds(2))
  await world.runFor(seconds(10))
  list(false)
  expect(untilList()).toBeGreaterThan(seconds(20))
})

test('what a picture surely shows is what was read before it could have been taken', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const memory = new RegionMemory(world, {})
  const age = seconds(2)
  expect(memory.readsNow(10, seconds(0))).toBe(10)
  expect(memory.readsNow(10, age)).toBe(0)
  await world.runFor(seconds(1))
  expect(memory.readsNow(20, age)).toBe(0)
  await world.runFor(seconds(1))
  expect(memory.readsNow(30, age)).toBe(10)
  await world.runFor(seconds(1))
  expect(memory.readsNow(40, age)).toBe(20)
  // The picture is older than the last note: that one is all that is known.
  await world.runFor(minutes(1))
  expect(memory.readsNow(90, age)).toBe(40)
})
