import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { days, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { Ended } from './ended.ts'

test('what has ended is remembered by the next supervisor too, for a week', async () => {
  const [world, path] = [new VirtualWorld({ seed: 1 }), join(temporaryDirectory(), 'ended')]
  const ended = new Ended(world, path)
  await ended.add('a')
  await world.runFor(days(4))
  await ended.add('b')
  expect(['a', 'b', 'c'].map(id => ended.has(id))).toEqual([true, true, false])
  await world.runFor(days(4))
  const next = new Ended(world, path)
  expect(['a', 'b'].map(id => next.has(id))).toEqual([false, true])
  expect(readFileSync(path, 'utf8')).not.toContain('"a"')
})

test('a line that a crash has cut is left out', async () => {
  const [world, path] = [new VirtualWorld({ seed: 1 }), join(temporaryDirectory(), 'ended')]
  await new Ended(world, path).add('a')
  appendFileSync(path, '{"id":"b","a')
  expect(new Ended(world, path).has('a')).toBe(true)
})
