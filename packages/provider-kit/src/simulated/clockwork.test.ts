import { millis, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { Clockwork } from './clockwork.ts'

test('what came due happens when somebody looks, at its own moment and in order', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const clockwork = new Clockwork(world)
  const start = clockwork.now
  const wall = world.now()
  const happened: number[][] = []
  const note = () => happened.push([clockwork.now - start, clockwork.instant - wall])
  clockwork.later(millis(200), note)
  clockwork.later(millis(100), () => {
    note()
    clockwork.later(millis(50), note)
  })
  const never = clockwork.later(millis(120), () => expect.unreachable())
  clockwork.cancel(never)
  expect(world.pending).toBe(0)
  await world.runFor(seconds(1))
  expect(happened).toEqual([])
  clockwork.advance()
  expect(happened.map(moment => moment.map(Math.round))).toEqual([
    [100, 100],
    [150, 150],
    [200, 200],
  ])
})

test('while somebody listens it happens by itself, with one timer for all', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const clockwork = new Clockwork(world)
  let happened = 0
  for (const delay of [300, 100, 200]) clockwork.later(millis(delay), () => happened++)
  const stop = clockwork.listen()
  expect(world.pending).toBe(1)
  await world.runFor(millis(250))
  expect(happened).toBe(2)
  stop()
  stop()
  expect(world.pending).toBe(0)
})
