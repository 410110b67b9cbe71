import { expect, test } from 'vitest'
import type { EngineEvent } from '../engine/words.ts'
import { ended } from '../tests/ended.ts'
import { engineEvents } from './engine-events.ts'

const event = (text: string): EngineEvent => {
  const [Action, signal] = text.split(' ') as [string, string?]
  return { Type: 'container', Action, Actor: { ID: 'x', Attributes: signal ? { signal } : {} }, timeNano: 0 }
}

/** By an engine that remembers just this. */
const isOutOfMemory = (...texts: readonly string[]): Promise<boolean> =>
  engineEvents({
    async *eventsOf() {
      yield* texts.map(event)
    },
  })(ended())

test.each([
  ['start', 'oom', 'die'],
  ['start', 'die', 'oom'],
  ['start', 'kill 15', 'die'],
  ['start', 'die'],
  ['start', 'die', 'start', 'kill 9', 'die'],
])('killed by the kernel: %s, %s, %s …', async (...texts) => expect(await isOutOfMemory(...texts)).toBe(true))

test.each([
  ['start', 'kill 15', 'kill 9', 'die'],
  ['start', 'kill KILL', 'die'],
])('killed by somebody: %s, %s, %s …', async (...texts) => expect(await isOutOfMemory(...texts)).toBe(false))

test('nothing is claimed of an end that the engine has forgotten', async () =>
  expect(await isOutOfMemory()).toBe(false))
